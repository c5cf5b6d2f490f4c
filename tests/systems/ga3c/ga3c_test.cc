// GA3C as a whole, over a linear network so that ThreadSanitizer sees all of it.
#include "tandem/systems/ga3c/ga3c.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/random.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/sync/cores.h"
#include "tandem/systems/ga3c/ga3c_agent.h"
#include "tests/support/counted_env.h"
#include "tests/support/endless_env.h"
#include "tests/support/latest_checkpoint.h"
#include "tests/support/noisy_env.h"
#include "tests/support/scenario.h"
#include "tests/support/slow_algorithm.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::vector<float> train(const Scenario& scenario, const Ga3cConfig& config) {
  return train(scenario, [&](TrainingContext& context) { train_ga3c(config, context); });
}

class Ga3cTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name) const { return root_.path() / name; }

  /// Trains until every agent has begun its endless episode.
  void play_until_all_have_begun(const Ga3cConfig& config) {
    train({.folder = folder("run"),
           .make_env = endless_,
           .steps = 1'000'000'000,
           .stop_requested = [&] { return starts_ == config.agents; }},
          config);
  }

  std::atomic<int> starts_ = 0;  // the endless episodes that have begun
  const EnvFactory endless_ = [this](int) { return std::make_unique<Endless>(starts_); };
  const Ga3cConfig few_ = {.agents = 5, .envs = 1, .predictors = 2, .trainers = 2, .min_batch = 20};

 private:
  TemporaryFolder root_;
};

// Seen failing when such a run left nothing, so that it could not be resumed.
TEST_F(Ga3cTest, AStopBeforeTheFirstStepLeavesACheckpointToGoOnFrom) {
  expect_a_stop_at_the_start_to_be_resumable(
      {.folder = folder("run")}, [&](TrainingContext& context) { train_ga3c(few_, context); });
}

// Seen failing when theta- was left out of a checkpoint.
TEST_F(Ga3cTest, ARecurrentValueMethodTrainsAndGoesOn) {
  Scenario scenario{.folder = folder("run"),
                    .make_algorithm = value_method(QMethod::one_step_sarsa),
                    .steps = 1'000,
                    .lstm = 6};
  train(scenario, few_);
  const auto saved = latest_of(folder("run"));
  scenario.steps = 2'000;
  scenario.resume = true;
  train(scenario, few_);
  const auto later = latest_of(folder("run"));
  EXPECT_FALSE(
      std::ranges::equal(saved.checkpoint.tensor("target"), later.checkpoint.tensor("target")));
}

// Every sample is observed once. Seen failing with the last states of experiences among them.
TEST_F(Ga3cTest, StatisticsAreThoseOfAllObservationsLearntFrom) {
  auto scenario = noisy(folder("run"), 3000);
  scenario.checkpoint_minutes = 1e-4;
  const auto parameters = train(scenario, few_);
  expect_noisy_moments(parameters, result_of(folder("run")).at("steps"));
}

// The count holds across checkpoints, changes of the numbers of threads, and the end of the run.
// Seen failing when the queue was not emptied before a checkpoint.
TEST_F(Ga3cTest, LearnsFromEveryStepThatWasPlayed) {
  std::atomic<int> steps = 0;
  std::atomic<int> starts = 0;
  auto config = few_;
  config.adjust_seconds = 0.005;
  train({.folder = folder("run"),
         .make_env = [&](int) { return std::make_unique<Counted>(steps, starts); },
         .make_algorithm = make_slow_algorithm,
         .steps = 5'000,
         .checkpoint_minutes = 1e-4},
        config);
  EXPECT_EQ(result_of(folder("run")).at("steps"), steps.load());
  EXPECT_GE(steps, 5'000);
}

TEST_F(Ga3cTest, AnAgentMayHaveSeveralEnvironments) {
  std::atomic<int> steps = 0;
  std::atomic<int> starts = 0;
  auto config = few_;
  config.envs = 3;
  train({.folder = folder("run"),
         .make_env = [&](int) { return std::make_unique<Counted>(steps, starts); }},
        config);
  EXPECT_EQ(result_of(folder("run")).at("steps"), steps.load());
}

// There are far more threads than cores.
TEST_F(Ga3cTest, AHundredAndTwentyEightAgentsPlayAndAreSaved) {
  auto config = few_;
  config.agents = 128;
  play_until_all_have_begun(config);
  const auto found = latest_of(folder("run"));
  EXPECT_TRUE(found.checkpoint.blobs.contains("agent_127"));
}

// Such agents rest throughout, or have not begun when the run stops. Seen failing when only agents
// that had played in this process were saved.
TEST_F(Ga3cTest, AgentsThatDidNotPlayInAResumedRunKeepTheirState) {
  auto config = few_;
  config.agents = 40;
  play_until_all_have_begun(config);
  for (int run = 0; run < 5; ++run) {
    std::atomic<int> asked = 0;
    train({.folder = folder("run"),
           .make_env = endless_,
           .steps = 1'000'000'000,
           .resume = true,
           .stop_requested = [&] { return ++asked > 2; }},
          config);
  }
  const auto found = latest_of(folder("run"));
  for (int rank = 0; rank < 40; ++rank) {
    EXPECT_TRUE(found.checkpoint.blobs.contains(Ga3cAgent::state_name(rank))) << rank;
  }
}

// Checkpoints come more often than the changes of section 4.3. Seen failing when each checkpoint
// set the clock back.
TEST_F(Ga3cTest, CheckpointsDoNotKeepTheThreadsFromChanging) {
  auto config = few_;
  config.adjust_seconds = 0.02;
  train({.folder = folder("run"), .steps = 60'000, .checkpoint_minutes = 0.003 / 60}, config);
  std::ifstream metrics(folder("run") / "metrics.jsonl");
  bool changed = false;
  for (std::string line; std::getline(metrics, line);) {
    const auto scalars = nlohmann::json::parse(line);
    const std::array threads = {scalars["ga3c/agents"].get<double>(),
                                scalars["ga3c/predictors"].get<double>(),
                                scalars["ga3c/trainers"].get<double>()};
    changed = changed || threads != std::array{5.0, 2.0, 2.0};
  }
  EXPECT_TRUE(changed);
}

// Seen failing on an empty log, and when a change of the threads was tried without a search.
TEST_F(Ga3cTest, WithoutASearchTheThreadsStay) {
  train({.folder = folder("run"), .checkpoint_minutes = 1e-4}, few_);
  std::ifstream metrics(folder("run") / "metrics.jsonl");
  int lines = 0;
  for (std::string line; std::getline(metrics, line); ++lines) {
    const auto scalars = nlohmann::json::parse(line);
    EXPECT_EQ(scalars.at("ga3c/agents"), 5);
    EXPECT_EQ(scalars.at("ga3c/predictors"), 2);
    EXPECT_EQ(scalars.at("ga3c/trainers"), 2);
  }
  EXPECT_GT(lines, 0);
}

/// The cores that each thread of this process may use, by the thread's name; only threads with a
/// role and a rank count.
std::map<std::string, std::vector<int>> cores_of_threads() {
  std::map<std::string, std::vector<int>> cores;
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    cpu_set_t mask;
    CPU_ZERO(&mask);
    const auto thread = std::stoi(task.path().filename().string());
    if (sched_getaffinity(thread, sizeof(mask), &mask) != 0) continue;  // it has just ended
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (name.find('-') != std::string::npos && CPU_ISSET(core, &mask))
        cores[name].push_back(core);
    }
  }
  return cores;
}

// Seen failing with a predictor on the trainers' core, and when every agent might use any core.
TEST_F(Ga3cTest, TrainersHaveACoreOfTheirOwnIfAskedFor) {
  const auto usable = usable_cores();
  if (usable.size() < 2) GTEST_SKIP() << "needs two cores";
  auto config = few_;
  config.agents = static_cast<std::int64_t>(usable.size()) + 1;
  config.trainer_cores = 1;
  config.roaming_agents = 2;
  const std::vector first = {usable.front()};
  const std::vector<int> others(usable.begin() + 1, usable.end());
  std::map<std::string, std::vector<int>> expected;
  for (int rank = 0; rank < config.agents; ++rank) {
    expected["agent-" + std::to_string(rank)] = rank < 2 ? usable : others;
  }
  for (const auto* rank : {"0", "1"}) {
    expected[std::string("predictor-") + rank] = others;
    expected[std::string("trainer-") + rank] = first;
  }
  std::map<std::string, std::vector<int>> found;
  std::mutex mutex;
  const auto as_expected = [&] {  // many threads ask
    const std::lock_guard lock(mutex);
    if (found != expected) found = cores_of_threads();  // threads may still be starting
    return found == expected;
  };
  train({.folder = folder("run"), .steps = 200'000, .stop_requested = as_expected}, config);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(usable_cores(), usable);
}

TEST_F(Ga3cTest, GoesOnAfterEachCheckpoint) {
  train({.folder = folder("run"), .checkpoint_minutes = 1e-4}, few_);
  EXPECT_GE(result_of(folder("run")).at("steps"), 2000);
  expect_checkpoints_on_the_way(folder("run"));
}

TEST_F(Ga3cTest, AStopLeavesACheckpointOfTheLastStepAndAResumedRunGoesOn) {
  play_until_all_have_begun(few_);
  const auto found = latest_of(folder("run"));
  EXPECT_EQ(found.step, result_of(folder("run")).at("steps"));
  EXPECT_GT(found.step, 0);
  EXPECT_LT(found.step, 1'000'000'000);
  for (const auto* agent : {"agent_0", "agent_4"}) {
    EXPECT_TRUE(found.checkpoint.blobs.contains(agent));
  }
  const auto further = found.step + 2000;
  train({.folder = folder("run"), .make_env = endless_, .steps = further, .resume = true}, few_);
  EXPECT_GE(result_of(folder("run")).at("steps"), further);
}

// Seen failing when the agents started anew instead of being loaded.
TEST_F(Ga3cTest, ResumedAgentsGoOnInTheirEpisodes) {
  play_until_all_have_begun(few_);
  const auto played = result_of(folder("run")).at("steps").get<std::int64_t>();
  train({.folder = folder("run"), .make_env = endless_, .steps = played + 50'000, .resume = true},
        few_);
  EXPECT_EQ(starts_, 5);
}

// theta- is never refreshed here, so it stays that of the beginning. Seen failing without
// load_target().
TEST_F(Ga3cTest, AResumedRunKeepsItsTargetNetwork) {
  Scenario scenario{
      .folder = folder("run"),
      .make_algorithm =
          [] { return make_q_learning(QMethod::n_step_q, {.target_frames = 1'000'000}, 7, 1); },
      .steps = 1'000};
  const auto theta = train(scenario, few_);
  const auto target = target_of(folder("run"));
  EXPECT_NE(target, theta);
  scenario.steps = 2'000;
  scenario.resume = true;
  train(scenario, few_);
  EXPECT_EQ(target_of(folder("run")), target);
}

// Some threads have not begun when the run stops. Seen crashing when only a trainer that had worked
// could empty the queue.
TEST_F(Ga3cTest, MayBeStoppedBeforeItBegan) {
  for (int run = 0; run < 20; ++run) {
    std::atomic<int> asked = 0;
    const auto name = folder("run" + std::to_string(run));
    train({.folder = name, .stop_requested = [&] { return ++asked > 1; }}, few_);
    EXPECT_EQ(result_of(name).at("why_ended"), "signal");
  }
}

// Seen hanging when the main thread did not check the crew's stop.
TEST_F(Ga3cTest, AnErrorInOneAgentStopsAllAndIsReportedOnce) {
  const Scenario scenario{
      .folder = folder("failing"),
      .make_env = [](int index) { return std::make_unique<Failing>(index == 2); },
      .steps = 1'000'000'000};
  try {
    train(scenario, few_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("environment 2"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("the pole broke"), std::string::npos);
  }
}

TEST_F(Ga3cTest, ParametersThatAreNotFiniteEndTheRunAndSpoilNoCheckpoint) {
  expect_divergence_to_spoil_no_checkpoint(
      {.folder = folder("nan"), .steps = 1'000'000'000, .checkpoint_minutes = 1e-4},
      [&](const auto& scenario) { train(scenario, few_); });
}

// A network that breaks at a given pass, a predictor's or a trainer's. All networks share the count
// of passes.
class Breaking final : public Network {
 public:
  Breaking(std::unique_ptr<Network> inner, std::atomic<int>& passes_left)
      : inner_(std::move(inner)), passes_left_(passes_left) {}
  [[nodiscard]] const Architecture& architecture() const override { return inner_->architecture(); }
  void forward(const Inputs& inputs, const Heads& out) override {
    pass();
    inner_->forward(inputs, out);
  }
  void record(const Inputs& inputs, const Heads& out) override {
    pass();
    inner_->record(inputs, out);
  }
  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    pass();
    inner_->backward(loss, gradient);
  }
  void reload() override { inner_->reload(); }

 private:
  void pass() {
    if (--passes_left_ == 0) throw Error("the network broke");
  }

  std::unique_ptr<Network> inner_;
  std::atomic<int>& passes_left_;
};

// The numbers of threads change every few milliseconds, checkpoints are written as often, and at
// some point the run is stopped, or an environment or a network breaks. No run may hang. Seen
// hanging when the main thread did not check the crew's stop.
TEST_F(Ga3cTest, EndsWhereverItIsStoppedWhileItsThreadsComeAndGo) {
  for (int point = 0; point < 24; ++point) {
    Stream stream(17, static_cast<std::uint64_t>(point));
    const bool environment_breaks = point % 3 == 0;
    const bool network_breaks = point % 3 == 1;
    const bool breaks = environment_breaks || network_breaks;
    const auto breaking = 1 + static_cast<int>(stream.below(400));
    std::atomic<int> passes_left = network_breaks ? breaking : -1;
    std::atomic<int> asked = 0;
    const auto asks = 1 + static_cast<int>(stream.below(300));
    Scenario scenario;
    scenario.folder = folder("run" + std::to_string(point));
    scenario.make_env = [&](int index) {
      return std::make_unique<Failing>(environment_breaks && index == 1, breaking);
    };
    scenario.steps = 1'000'000'000;
    scenario.checkpoint_minutes = stream.below(2) == 0 ? 1e-4 : 10;
    scenario.stop_requested = [&] { return !breaks && ++asked > asks; };
    const Ga3cConfig config{.agents = 2 + stream.below(7),
                            .envs = 1 + stream.below(2),
                            .predictors = 1 + stream.below(3),
                            .trainers = 1 + stream.below(3),
                            .min_batch = 1 + stream.below(40),
                            .max_predictions = 1 + stream.below(8),
                            .queue = 1 + stream.below(10),
                            .adjust_seconds = 0.003};
    const auto train_it = [&] {
      train(scenario, [&](TrainingContext& context) {
        context.actor.make_network =
            [&, make = context.actor.make_network](std::span<const float> parameters) {
              return std::make_unique<Breaking>(make(parameters), passes_left);
            };
        train_ga3c(config, context);
      });
    };
    if (breaks) {
      EXPECT_THROW(train_it(), Error) << point;
    } else {
      train_it();
      EXPECT_EQ(result_of(scenario.folder).at("why_ended"), "signal");
    }
  }
}

}  // namespace
}  // namespace tandem
