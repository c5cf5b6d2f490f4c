// PAAC as a whole, over a linear network so that the sanitizers see all of it.
#include "tandem/systems/paac/paac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/collector.h"
#include "tandem/algo/ppo.h"
#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/common/learner_state.h"
#include "tests/support/env_around.h"
#include "tests/support/error_of.h"
#include "tests/support/latest_checkpoint.h"
#include "tests/support/noisy_env.h"
#include "tests/support/scenario.h"
#include "tests/support/sleepy_env.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr PaacConfig kPaac = {.envs = 10, .workers = 8, .t_max = 5, .envs_per_group = 3};

std::vector<float> train(const Scenario& scenario, const PaacConfig& config = kPaac) {
  return train(scenario, [&](TrainingContext& context) { train_paac(config, context); });
}

class PaacTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name) const { return root_.path() / name; }

 private:
  TemporaryFolder root_;
};

/// Trains literally by Algorithm 1, in one thread. Equations 10 and 11 are means over all samples.
void train_by_algorithm_1(TrainingContext& context) {
  const auto envs = static_cast<int>(kPaac.envs);
  const auto t_max = static_cast<int>(kPaac.t_max);
  const auto theta = context.learner.parameters();
  const auto network = context.actor.make_network(theta);
  RecordingActor actor(*network);
  Collector collector(VecEnv(context.actor.make_env, {.count = envs, .seed = context.actor.seed}),
                      actor, nullptr, context.algorithm, t_max);
  collector.start();
  std::vector<std::vector<float>> gradient(1, std::vector<float>(theta.size()));
  Workers workers(1);
  while (!context.run.done()) {
    network->reload();
    const Rollout& rollout = collector.collect(context.run.steps());
    network->backward(
        [&](const Heads& heads, const Heads& out) {
          (void)context.algorithm.rollout_loss().loss(heads, rollout, 1.0 / (envs * t_max), out);
        },
        gradient[0]);
    context.learner.apply(gradient, context.run.steps(), workers);
    context.run.record({.steps = envs * t_max, .episodes = {}});
  }
}

// Seen failing with the sum over all samples.
TEST_F(PaacTest, IsAlgorithm1) {
  const auto expected = tandem::train({.folder = folder("literal")}, train_by_algorithm_1);
  auto one_group = kPaac;
  one_group.envs_per_group = kPaac.envs;
  EXPECT_EQ(train({.folder = folder("one")}, one_group), expected);
  const auto grouped = train({.folder = folder("groups")}, kPaac);  // other last bits
  ASSERT_EQ(grouped.size(), expected.size());
  for (std::size_t i = 0; i < grouped.size(); ++i) ASSERT_NEAR(grouped[i], expected[i], 1e-4) << i;
}

/// Notes the threads that step it. Its steps take a while, so that others take some.
class NotesThreads final : public EnvAround {
 public:
  NotesThreads(std::mutex& mutex, std::set<std::thread::id>& threads)
      : mutex_(mutex), threads_(threads) {}
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    sleep_a_little();
    return EnvAround::step(actions, stream, frame);
  }

 private:
  std::mutex& mutex_;
  std::set<std::thread::id>& threads_;
};

// Seen failing when one thread did all.
TEST_F(PaacTest, ThreadsShareGroupsOrTheEnvironmentsOfOne) {
  for (const int each : {3, 10}) {
    auto config = kPaac;
    config.envs_per_group = each;
    std::mutex mutex;
    std::set<std::thread::id> threads;
    train({.folder = folder(std::to_string(each)),
           .make_env = [&](int) { return std::make_unique<NotesThreads>(mutex, threads); },
           .steps = 500,
           .threads = 3},
          config);
    EXPECT_GE(threads.size(), 3U) << each;
  }
}

// Seen failing with the gradients summed in another order on two threads.
TEST_F(PaacTest, SameBitsForAnyNumberOfThreads) {
  const auto one = train({.folder = folder("one"), .threads = 1});
  EXPECT_EQ(one, train({.folder = folder("two"), .threads = 2}));
  EXPECT_EQ(one, train({.folder = folder("five"), .threads = 5}));
}

TEST_F(PaacTest, SameBitsWhenWorkersStepTheEnvironmentsOfOneGroup) {
  const PaacConfig one_group = {.envs = 10, .workers = 8, .t_max = 5, .envs_per_group = 10};
  const auto one = train({.folder = folder("one"), .threads = 1}, one_group);
  EXPECT_EQ(one, train({.folder = folder("three"), .threads = 3}, one_group));
}

// Seen failing with the last row of rollouts among the observations.
TEST_F(PaacTest, StatisticsAreThoseOfAllObservationsLearntFrom) {
  expect_noisy_moments(train(noisy(folder("a2c"), 3000)), 3000);
  auto ppo = noisy(folder("ppo"), 3000);
  ppo.make_algorithm = [] { return make_ppo({.epochs = 2, .minibatches = 5}); };
  expect_noisy_moments(train(ppo), 3000);
}

/// NoisyEnv, one of whose observations is infinite.
class InfiniteEnv final : public EnvAround {
 public:
  InfiniteEnv() : EnvAround(std::make_unique<NoisyEnv>()) {}
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    const auto result = EnvAround::step(actions, stream, frame);
    if (++steps_ != 97) return result;
    const float infinite = std::numeric_limits<float>::infinity();
    std::memcpy(frame.data(), &infinite, sizeof(infinite));
    return result;
  }

 private:
  int steps_ = 0;
};

TEST_F(PaacTest, AnInfiniteObservationEndsTheRunWithItsNameAndSpoilsNoCheckpoint) {
  auto scenario = noisy(folder("run"), 3000);
  scenario.make_env = [](int) { return std::make_unique<InfiniteEnv>(); };
  scenario.checkpoint_minutes = 0;
  EXPECT_THAT(error_of([&] { train(scenario); }),
              testing::HasSubstr("an observation whose number 0 (counted from 0) is not finite"));
  expect_finite_checkpoint(folder("run") / "checkpoints");
}

// Seen failing without the scale of rewards in the checkpoint.
TEST_F(PaacTest, SameBitsWithStatisticsForAnyThreadsAndWhenResumed) {
  for (const bool ppo : {false, true}) {
    const auto scenario = [&](const std::string& name, std::int64_t steps, int threads) {
      auto result = noisy(folder(name + (ppo ? "_ppo" : "")), steps);
      if (ppo) {
        result.make_algorithm = [] { return make_ppo({.epochs = 2, .minibatches = 5}); };
      }
      result.threads = threads;
      return result;
    };
    const auto whole = train(scenario("whole", 3000, 3));
    (void)train(scenario("parts", 1250, 1));
    auto rest = scenario("parts", 3000, 2);
    rest.resume = true;
    EXPECT_EQ(whole, train(rest)) << ppo;
  }
}

// Seen failing with the environments restarted instead of loaded.
TEST_F(PaacTest, ResumedRunEndsWithTheBitsOfTheUninterruptedOne) {
  const auto whole = train({.folder = folder("whole"), .steps = 3000});
  train({.folder = folder("parts"), .steps = 1250, .threads = 1});
  EXPECT_EQ(whole, train({.folder = folder("parts"), .steps = 3000, .resume = true}));
}

// Episodes of a recurrent agent begin within rollouts, at a different step in each environment.
TEST_F(PaacTest, SameBitsOfARecurrentAgentForAnyThreadsAndWhenResumed) {
  const auto whole = train({.folder = folder("whole"), .steps = 3000, .threads = 3, .lstm = 6});
  train({.folder = folder("parts"), .steps = 1250, .threads = 1, .lstm = 6});
  EXPECT_EQ(whole, train({.folder = folder("parts"), .steps = 3000, .resume = true, .lstm = 6}));
}

// Seen failing with load_target() left out.
TEST_F(PaacTest, ValueMethodsKeepTheirBits) {
  for (const auto method : {QMethod::one_step_q, QMethod::one_step_sarsa, QMethod::n_step_q}) {
    const auto make = value_method(method);
    const auto name = [&](const char* run) {
      return folder(run + std::to_string(static_cast<int>(method)));
    };
    const auto one = train({.folder = name("one"), .make_algorithm = make, .threads = 1});
    EXPECT_EQ(one, train({.folder = name("three"), .make_algorithm = make, .threads = 3}));
    train({.folder = name("parts"), .make_algorithm = make, .steps = 1250});
    EXPECT_EQ(one, train({.folder = name("parts"), .make_algorithm = make, .resume = true}));
  }
}

// theta- is theta at each multiple of 150 steps. Seen failing when it was never copied.
TEST_F(PaacTest, TheTargetNetworkIsThetaOfTheLastMultiple) {
  const auto trained = [&](std::int64_t steps) {
    return train({.folder = folder(std::to_string(steps)),
                  .make_algorithm = value_method(QMethod::n_step_q),
                  .steps = steps});
  };
  const auto at_a_multiple = trained(300);
  EXPECT_EQ(at_a_multiple, target_of(folder("300")));
  const auto between = trained(400);
  EXPECT_NE(between, target_of(folder("400")));
}

// Seen failing when the order of samples began anew.
TEST_F(PaacTest, PpoHasTheSameBitsForAnyThreadsAndWhenResumed) {
  const auto make = [] { return make_ppo({.epochs = 2, .minibatches = 3}); };
  const auto one = train({.folder = folder("one"), .make_algorithm = make, .threads = 1});
  EXPECT_EQ(one, train({.folder = folder("three"), .make_algorithm = make, .threads = 3}));
  train({.folder = folder("parts"), .make_algorithm = make, .steps = 1250});
  EXPECT_EQ(one, train({.folder = folder("parts"), .make_algorithm = make, .resume = true}));
}

// Seen failing when the schedule was always asked for step 0.
TEST_F(PaacTest, ThePpoClipFollowsTheStepsOfTheRun) {
  const auto make = [](std::int64_t clip_steps) {
    return [=] {
      return make_ppo({.clip = 0.01, .clip_steps = clip_steps, .epochs = 2, .minibatches = 3});
    };
  };
  const auto one = train({.folder = folder("one"), .make_algorithm = make(1500), .threads = 1});
  EXPECT_NE(one, train({.folder = folder("constant"), .make_algorithm = make(0)}));
  EXPECT_NE(one, train({.folder = folder("slower"), .make_algorithm = make(3000)}));
  train({.folder = folder("parts"), .make_algorithm = make(1500), .steps = 1250});
  EXPECT_EQ(one, train({.folder = folder("parts"), .make_algorithm = make(1500), .resume = true}));
}

// Seen failing when the schedule was always asked for step 0.
TEST_F(PaacTest, TheEntropysFactorFollowsTheStepsOfTheRun) {
  const auto make = [](std::int64_t entropy_steps) {
    return [=] { return make_a2c({.entropy = 0.5, .entropy_steps = entropy_steps}); };
  };
  const auto one = train({.folder = folder("one"), .make_algorithm = make(1500), .threads = 1});
  EXPECT_NE(one, train({.folder = folder("constant"), .make_algorithm = make(0)}));
  EXPECT_NE(one, train({.folder = folder("slower"), .make_algorithm = make(3000)}));
  train({.folder = folder("parts"), .make_algorithm = make(1500), .steps = 1250});
  EXPECT_EQ(one, train({.folder = folder("parts"), .make_algorithm = make(1500), .resume = true}));
}

/// A linear network that counts its recorded passes.
class CountsRecords final : public Network {
 public:
  CountsRecords(std::unique_ptr<Network> inner, std::atomic<int>& records)
      : inner_(std::move(inner)), records_(records) {}
  [[nodiscard]] const Architecture& architecture() const override { return inner_->architecture(); }
  void forward(const Inputs& inputs, const Heads& out) override { inner_->forward(inputs, out); }
  void record(const Inputs& inputs, const Heads& out) override {
    ++records_;
    inner_->record(inputs, out);
  }
  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    inner_->backward(loss, gradient);
  }
  void reload() override { inner_->reload(); }

 private:
  std::unique_ptr<Network> inner_;
  std::atomic<int>& records_;
};

// PPO's passes over minibatches record their activations, and the passes that act do not. Seen
// failing with a RecordingActor.
TEST_F(PaacTest, PpoRecordsNothingThatItDoesNotUse) {
  std::atomic<int> records = 0;
  Scenario scenario{.folder = folder("run"), .steps = 500};
  scenario.make_algorithm = [] { return make_ppo({.epochs = 2, .minibatches = 3}); };
  train(scenario, [&](TrainingContext& context) {
    context.actor.make_network =
        [&, make = context.actor.make_network](std::span<const float> parameters) {
          return std::make_unique<CountsRecords>(make(parameters), records);
        };
    train_paac(kPaac, context);
  });
  // Ten updates, with a share of each minibatch for each of the four groups.
  EXPECT_EQ(records, 10 * 2 * 3 * 4);
}

TEST_F(PaacTest, AStopLeavesACheckpointOfTheLastStep) {
  std::atomic<int> asked = 0;
  train({.folder = folder("stopped"), .stop_requested = [&] { return ++asked > 20; }});
  const auto found = latest_of(folder("stopped"));
  std::ifstream file(folder("stopped") / "result.json");
  const auto result = nlohmann::json::parse(file);
  EXPECT_EQ(found.step, result.at("steps"));
  EXPECT_LT(found.step, 2000);
  EXPECT_GT(found.step, 0);
}

TEST_F(PaacTest, AnErrorInAnEnvironmentReachesTheUserWithItsIndex) {
  const auto make_env = [](int index) { return std::make_unique<Failing>(index == 8); };
  for (const int threads : {1, 3}) {
    try {
      train({.folder = folder("failing" + std::to_string(threads)),
             .make_env = make_env,
             .threads = threads});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("environment 8"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("the pole broke"), std::string::npos);
    }
  }
}

// The learning rate makes the parameters diverge. Seen failing when the checks of record() and
// save() were both removed.
TEST_F(PaacTest, ParametersThatAreNotFiniteEndTheRunAndSpoilNoCheckpoint) {
  expect_divergence_to_spoil_no_checkpoint({.folder = folder("nan"), .checkpoint_minutes = 0},
                                           [](const auto& scenario) { train(scenario); });
}

}  // namespace
}  // namespace tandem
