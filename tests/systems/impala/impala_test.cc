// IMPALA as a whole, over a linear network so that ThreadSanitizer sees all of it.
#include "tandem/systems/impala/impala.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/counted_env.h"
#include "tests/support/latest_checkpoint.h"
#include "tests/support/noisy_env.h"
#include "tests/support/scenario.h"
#include "tests/support/slow_algorithm.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::vector<float> train(const Scenario& scenario, const ImpalaConfig& config) {
  return tandem::train(scenario, [&](TrainingContext& context) { train_impala(config, context); });
}

class ImpalaTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name) const { return root_.path() / name; }

  const ImpalaConfig small_ = {.actors = 3, .envs = 2, .unroll = 5, .batch = 4, .queue = 2};

 private:
  TemporaryFolder root_;
};

Algorithm make_vtrace() { return make_a2c({.correction = "vtrace"}); }

// Every sample is observed once. Seen failing with the last states of experiences among them.
TEST_F(ImpalaTest, StatisticsAreThoseOfAllObservationsLearntFrom) {
  auto scenario = noisy(folder("run"), 3000);
  scenario.make_algorithm = make_vtrace;
  scenario.checkpoint_minutes = 1e-4;
  const auto parameters = train(scenario, small_);
  expect_noisy_moments(parameters, result_of(folder("run")).at("steps"));
}

// Seen failing when such a run left nothing, so that it could not be resumed.
TEST_F(ImpalaTest, AStopBeforeTheFirstStepLeavesACheckpointToGoOnFrom) {
  expect_a_stop_at_the_start_to_be_resumable(
      {.folder = folder("run"), .make_algorithm = make_vtrace},
      [&](TrainingContext& context) { train_impala(small_, context); });
}

TEST_F(ImpalaTest, ARecurrentAgentTrainsAndResumes) {
  Scenario scenario{
      .folder = folder("run"), .make_algorithm = make_vtrace, .steps = 1'000, .lstm = 6};
  const auto before = train(scenario, small_);
  scenario.steps = 2'000;
  scenario.resume = true;
  const auto after = train(scenario, small_);
  EXPECT_NE(before, after);
  EXPECT_GE(result_of(folder("run")).at("steps"), 2'000);
}

// The count holds across checkpoints and at the end of the run. Seen failing when the queue was not
// emptied before a checkpoint.
TEST_F(ImpalaTest, LearnsFromEveryStepThatWasPlayed) {
  std::atomic<int> steps = 0;
  std::atomic<int> starts = 0;
  train({.folder = folder("run"),
         .make_env = [&](int) { return std::make_unique<Counted>(steps, starts); },
         .make_algorithm = make_slow_algorithm,
         .steps = 5'000,
         .checkpoint_minutes = 1e-4},
        small_);
  EXPECT_EQ(result_of(folder("run")).at("steps"), steps.load());
  EXPECT_GE(steps, 5'000);
}

TEST_F(ImpalaTest, AStopLeavesACheckpointOfTheLastStepAndAResumedRunGoesOn) {
  std::atomic<int> steps = 0;
  std::atomic<int> starts = 0;
  train({.folder = folder("run"),
         .make_env = [&](int) { return std::make_unique<Counted>(steps, starts); },
         .make_algorithm = make_vtrace,
         .steps = 1'000'000,
         .stop_requested = [&] { return steps > 400; }},
        small_);
  const auto found = latest_of(folder("run"));
  EXPECT_EQ(found.step, result_of(folder("run")).at("steps"));
  EXPECT_GT(found.step, 0);
  EXPECT_LT(found.step, 1'000'000);
  const auto further = found.step + 2000;
  train({.folder = folder("run"), .make_algorithm = make_vtrace, .steps = further, .resume = true},
        small_);
  EXPECT_GE(result_of(folder("run")).at("steps"), further);
}

// V-trace corrects the policy's lag, which the queue bounds. The slow learner keeps the queue full:
// 3 actors have an unroll under way, the queue holds 2, and an update takes 2. Seen failing with a
// lag of 0.
TEST_F(ImpalaTest, LogsHowFarThePolicyLags) {
  train({.folder = folder("run"), .make_algorithm = make_slow_algorithm, .steps = 10'000}, small_);
  std::ifstream metrics(folder("run") / "metrics.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(metrics, line));
  const auto scalars = nlohmann::json::parse(line);
  const auto lag = scalars.at("impala/policy_lag_updates").get<double>();
  EXPECT_GT(lag, 1);
  EXPECT_LE(lag, 2.6);
  EXPECT_NEAR(scalars.at("impala/training_batch").get<double>(), 20, 0.1);  // the last may be less
}

TEST_F(ImpalaTest, AnErrorInAnEnvironmentReachesTheUserWithItsIndex) {
  const auto make_env = [](int index) { return std::make_unique<Failing>(index == 4); };
  try {
    train({.folder = folder("failing"), .make_env = make_env, .steps = 1'000'000}, small_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("environment 4"), std::string::npos) << error.what();
  }
}

TEST_F(ImpalaTest, ParametersThatAreNotFiniteEndTheRunAndSpoilNoCheckpoint) {
  expect_divergence_to_spoil_no_checkpoint({.folder = folder("nan"), .checkpoint_minutes = 0},
                                           [&](const auto& scenario) { train(scenario, small_); });
}

// Stops, errors and checkpoints come at random points, also before some actors have begun. Seen
// crashing when an actor had not begun, and hanging when actors waited for room in the queue
// without checking the crew's stop.
TEST_F(ImpalaTest, EndsWhereverItIsStopped) {
  std::minstd_rand random(5);
  for (int point = 0; point < 24; ++point) {
    const ImpalaConfig config = {.actors = 1 + static_cast<int>(random() % 6),
                                 .envs = 1 + static_cast<int>(random() % 2),
                                 .unroll = 1 + static_cast<int>(random() % 8),
                                 .batch = 1 + static_cast<int>(random() % 8),
                                 .queue = 1 + static_cast<int>(random() % 3)};
    const int step = 1 + static_cast<int>(random() % 300);
    std::atomic<int> asked = 0;
    Scenario scenario{.folder = folder(std::to_string(point)),
                      .make_algorithm = make_vtrace,
                      .checkpoint_minutes = point % 3 == 0 ? 1e-4 : 10,
                      .stop_requested = [&] { return ++asked > step; }};
    if (point % 2 == 0) {
      scenario.make_env = [step](int index) { return std::make_unique<Failing>(index == 0, step); };
    }
    try {
      train(scenario, config);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("the pole broke"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tandem
