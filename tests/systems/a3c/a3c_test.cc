// A3C as a whole, over a linear network so that ThreadSanitizer sees all of it.
#include "tandem/systems/a3c/a3c.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/collector.h"
#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/learn/hogwild.h"
#include "tandem/systems/common/learner_state.h"
#include "tests/support/latest_checkpoint.h"
#include "tests/support/noisy_env.h"
#include "tests/support/noting_actions.h"
#include "tests/support/scenario.h"
#include "tests/support/sleepy_env.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::vector<float> train(const Scenario& scenario, const A3cConfig& config) {
  return train(scenario, [&](TrainingContext& context) { train_a3c(config, context); });
}

class A3cTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name) const { return root_.path() / name; }

 private:
  TemporaryFolder root_;
};

/// Algorithm 3 with one thread. The gradient is the sum over a rollout's steps.
void train_by_algorithm_3(TrainingContext& context, const A3cConfig& config) {
  Hogwild shared(context.learner, config.sharing, 1);
  std::vector<float> own(context.learner.parameters().size());  // theta'
  std::vector<float> gradient(own.size());
  const auto network = context.actor.make_network(own);
  RecordingActor actor(*network);
  Collector collector(VecEnv(context.actor.make_env, {.seed = context.actor.seed}), actor, nullptr,
                      context.algorithm, static_cast<int>(config.t_max), RolloutEnd::at_episode);
  collector.start();
  while (!context.run.done()) {
    shared.copy_parameters(own);
    network->reload();
    const Rollout& rollout = collector.collect(context.run.steps());
    network->backward(
        [&](const Heads& heads, const Heads& out) {
          (void)context.algorithm.rollout_loss().loss(heads, rollout, 1.0, out);
        },
        gradient);
    shared.apply(0, gradient, context.run.steps());
    context.run.record({.steps = rollout.samples(), .episodes = {}});
  }
}

// Seen failing with the mean over the steps.
TEST_F(A3cTest, OneThreadIsAlgorithm3) {
  const A3cConfig one{.learners = 1};
  const auto expected = tandem::train({.folder = folder("literal")}, [&](TrainingContext& context) {
    train_by_algorithm_3(context, one);
  });
  EXPECT_EQ(train({.folder = folder("a3c")}, one), expected);
}

TEST_F(A3cTest, OneThreadGivesTheSameBitsEachTime) {
  const A3cConfig one{.learners = 1};
  EXPECT_EQ(train({.folder = folder("one")}, one), train({.folder = folder("two")}, one));
}

// Seen failing when the schedule was always asked for step 0.
TEST_F(A3cTest, TheEntropysFactorFollowsTheStepsOfTheRun) {
  const A3cConfig one{.learners = 1};
  const auto trained = [&](const std::string& name, std::int64_t entropy_steps) {
    const auto make = [=] { return make_a2c({.entropy = 0.5, .entropy_steps = entropy_steps}); };
    return train({.folder = folder(name), .make_algorithm = make}, one);
  };
  const auto falling = trained("falling", 1500);
  EXPECT_NE(falling, trained("constant", 0));
  EXPECT_NE(falling, trained("slower", 3000));
}

// Seen failing without the lock in Hogwild::observe().
TEST_F(A3cTest, StatisticsAreThoseOfAllThreadsObservations) {
  auto scenario = noisy(folder("run"), 3000);
  scenario.checkpoint_minutes = 1e-4;
  const auto parameters = train(scenario, {.learners = 3});
  expect_noisy_moments(parameters, result_of(folder("run")).at("steps"));
}

// A checkpoint includes each thread's own optimizer statistics. Seen failing with load_slots() left
// out, with the environments restarted instead of loaded, and with the default way of sharing in
// both cases.
TEST_F(A3cTest, ResumedRunOfOneThreadEndsWithTheBitsOfTheUninterruptedOne) {
  for (const bool shared : {true, false}) {
    const A3cConfig one{.learners = 1, .sharing = {.shared_statistics = shared}};
    const auto name = [&](const char* run) { return folder(run + std::to_string(shared)); };
    // Rollouts end with episodes, so a budget of steps may fall within a rollout. A request stops
    // the first run instead.
    std::atomic<int> asked = 0;
    const auto whole = train({.folder = name("whole"), .steps = 3000}, one);
    train({.folder = name("parts"), .steps = 3000, .stop_requested = [&] { return ++asked > 50; }},
          one);
    EXPECT_LT(result_of(name("parts")).at("steps"), 3000);
    EXPECT_EQ(whole, train({.folder = name("parts"), .steps = 3000, .resume = true}, one));
    const auto found = latest_of(name("whole"));
    EXPECT_EQ(found.checkpoint.tensors.contains("optimizer.thread_0"), !shared);
  }
}

// A checkpoint includes the network's state in the middle of an episode. Seen failing with the
// states left out of Collector::save().
TEST_F(A3cTest, ResumedRunOfARecurrentAgentEndsWithTheSameBits) {
  const A3cConfig one{.learners = 1};
  std::atomic<int> asked = 0;
  const auto whole = train({.folder = folder("whole"), .steps = 3000, .lstm = 6}, one);
  train({.folder = folder("parts"),
         .steps = 3000,
         .lstm = 6,
         .stop_requested = [&] { return ++asked > 50; }},
        one);
  EXPECT_LT(result_of(folder("parts")).at("steps"), 3000);
  EXPECT_EQ(whole,
            train({.folder = folder("parts"), .steps = 3000, .resume = true, .lstm = 6}, one));
}

std::unique_ptr<Env> make_pendulum(int) { return make_builtin_family()->make("pendulum", 0); }

Algorithm make_continuous() { return make_gaussian_a2c({.loss_scale = 0.05, .reward_clip = 0}); }

// Section 5.2.3's agent: actions are vectors, each of two networks has a recurrent state, and a
// time limit truncates episodes.
TEST_F(A3cTest, ResumedRunOfAContinuousAgentEndsWithTheSameBits) {
  const A3cConfig one{.learners = 1, .t_max = 20};
  std::atomic<int> asked = 0;
  Scenario scenario{.folder = folder("whole"),
                    .make_env = make_pendulum,
                    .make_algorithm = make_continuous,
                    .optimizer = {.lr = 1e-3, .clip_norm = 0.5},
                    .lstm = 6,
                    .separate = true};
  const auto whole = train(scenario, one);
  scenario.folder = folder("parts");
  scenario.stop_requested = [&] { return ++asked > 30; };
  train(scenario, one);
  EXPECT_LT(result_of(folder("parts")).at("steps"), 2000);
  scenario.stop_requested = [] { return false; };
  scenario.resume = true;
  EXPECT_EQ(whole, train(scenario, one));
}

// A checkpoint includes the target network and Sarsa's next action. Seen failing with load_target()
// left out, and when Sarsa chose its next action anew.
TEST_F(A3cTest, ResumedValueMethodsEndWithTheBitsOfTheUninterruptedOnes) {
  for (const auto method : {QMethod::one_step_q, QMethod::one_step_sarsa, QMethod::n_step_q}) {
    const A3cConfig one{.learners = 1};
    const auto name = [&](const char* run) {
      return folder(run + std::to_string(static_cast<int>(method)));
    };
    std::atomic<int> asked = 0;
    const auto make = value_method(method);
    const auto whole = train({.folder = name("whole"), .make_algorithm = make}, one);
    train({.folder = name("parts"),
           .make_algorithm = make,
           .stop_requested = [&] { return ++asked > 100; }},
          one);
    EXPECT_LT(result_of(name("parts")).at("steps"), 2000);
    EXPECT_EQ(whole, train({.folder = name("parts"), .make_algorithm = make, .resume = true}, one));
  }
}

/// A value method that explores little, with a target network of this age in frames.
std::function<Algorithm()> steady_method(QMethod method, std::int64_t target_frames) {
  const ExplorationConfig little{
      .epsilon_start = 0.1, .epsilon_1 = 0.1, .epsilon_2 = 0.1, .epsilon_3 = 0.1};
  return [=] {
    return make_q_learning(method, {.target_frames = target_frames, .exploration = little}, 7, 1);
  };
}

constexpr std::array kValueMethods = {QMethod::one_step_q, QMethod::one_step_sarsa,
                                      QMethod::n_step_q};

// With a theta- that is never copied again, the actions stay those of the first parameters, though
// theta moves. Seen failing when theta' acted.
TEST_F(A3cTest, TargetNetworkActsIfAskedTo) {
  for (const auto method : kValueMethods) {
    const auto actions_of = [&](const std::string& name, double lr, bool by_target) {
      std::vector<std::int32_t> actions;
      train({.folder = folder(name + std::to_string(static_cast<int>(method))),
             .make_env = [&](int) { return std::make_unique<NotingActions>(actions); },
             .make_algorithm = steady_method(method, 1'000'000),
             .steps = 500,
             .optimizer = {.lr = lr}},
            {.learners = 1, .act_by_target = by_target});
      return actions;
    };
    const auto still = actions_of("still", 0, false);
    const auto by_target = actions_of("by-target", 0.1, true);
    // Rollouts end with episodes, so the lengths may differ by a rollout.
    const auto common = std::min(still.size(), by_target.size());
    ASSERT_GE(common, 500);
    EXPECT_TRUE(std::equal(still.begin(), still.begin() + static_cast<std::ptrdiff_t>(common),
                           by_target.begin()));
    EXPECT_NE(actions_of("by-theta", 0.1, false), by_target);
  }
}

// A theta- that is copied after each update is theta' again when the next rollout begins. So it
// does not matter which of the two acts, and the gradient must be the same, too. Seen failing with
// the states of the next steps.
TEST_F(A3cTest, ItsGradientIsStillThatOfTheLearningNetwork) {
  for (const auto method : kValueMethods) {
    const auto bits = [&](const std::string& name, bool by_target) {
      return train({.folder = folder(name + std::to_string(static_cast<int>(method))),
                    .make_algorithm = steady_method(method, 1)},
                   {.learners = 1, .act_by_target = by_target});
    };
    EXPECT_EQ(bits("theta", false), bits("target", true));
  }
}

// Seen failing with the numbers of steps left out of A3cTargets::save(), and with parameters that
// were not loaded.
TEST_F(A3cTest, ResumedVariantsEndWithTheBitsOfTheUninterruptedOnes) {
  for (const bool by_target : {false, true}) {
    const A3cConfig one{.learners = 1, .own_targets = true, .act_by_target = by_target};
    const auto make = value_method(QMethod::n_step_q);
    const auto name = [&](const char* run) { return folder(run + std::to_string(by_target)); };
    std::atomic<int> asked = 0;
    const auto whole = train({.folder = name("whole"), .make_algorithm = make}, one);
    train({.folder = name("parts"),
           .make_algorithm = make,
           .stop_requested = [&] { return ++asked > 100; }},
          one);
    EXPECT_LT(result_of(name("parts")).at("steps"), 2000);
    EXPECT_EQ(whole, train({.folder = name("parts"), .make_algorithm = make, .resume = true}, one));
  }
}

// One thread's own steps are all steps, and its interval is that of the shared target network.
TEST_F(A3cTest, OwnTargetOfOneThreadIsTheSharedOne) {
  const auto make = value_method(QMethod::one_step_q);
  EXPECT_EQ(train({.folder = folder("shared"), .make_algorithm = make}, {.learners = 1}),
            train({.folder = folder("own"), .make_algorithm = make},
                  {.learners = 1, .own_targets = true}));
}

// Each is refreshed by the steps of its own thread. Seen failing when thread 0 counted for all.
TEST_F(A3cTest, ThreadsHaveTargetNetworksOfTheirOwn) {
  const auto make = value_method(QMethod::one_step_sarsa);
  const auto start =
      train({.folder = folder("start"), .make_algorithm = make, .steps = 1, .optimizer = {.lr = 0}},
            {.learners = 1});
  train({.folder = folder("run"),
         .make_env = [](int) { return std::make_unique<SleepyEnv>(); },
         .make_algorithm = make,
         .checkpoint_minutes = 1e-4},
        {.learners = 4, .own_targets = true, .act_by_target = true});
  expect_finite_checkpoint(folder("run") / "checkpoints");
  const auto found = latest_of(folder("run"));
  for (const auto* name : {"target_0", "target_1", "target_2", "target_3"}) {
    EXPECT_NE(found.checkpoint.tensors.at(name).values, start) << name;
  }
}

// theta- is theta at each multiple of 150 steps. Seen failing when it was never copied.
TEST_F(A3cTest, TheTargetNetworkIsThetaOfTheLastMultiple) {
  const auto trained = [&](std::int64_t steps) {
    return train({.folder = folder(std::to_string(steps)),
                  .make_algorithm = value_method(QMethod::n_step_q),
                  .steps = steps},
                 {.learners = 1});
  };
  const auto at_a_multiple = trained(300);
  EXPECT_EQ(at_a_multiple, target_of(folder("300")));
  const auto between = trained(400);
  EXPECT_NE(between, target_of(folder("400")));
}

TEST_F(A3cTest, ThreadsShareATargetNetwork) {
  for (const bool locking : {false, true}) {
    const auto run = folder(locking ? "locking" : "racing");
    train({.folder = run,
           .make_algorithm = value_method(QMethod::one_step_sarsa),
           .checkpoint_minutes = 1e-4},
          {.learners = 4, .sharing = {.locking = locking}});
    ASSERT_FALSE(fs::is_empty(run / "checkpoints"));
    expect_finite_checkpoint(run / "checkpoints");
    EXPECT_GE(result_of(run).at("steps"), 2000);
  }
}

TEST_F(A3cTest, ThreadsWithoutLocksUseUpTheBudgetTogether) {
  for (const bool locking : {false, true}) {
    for (const bool shared : {true, false}) {
      const auto run = folder("run" + std::to_string(2 * locking + shared));
      train({.folder = run},
            {.learners = 4, .sharing = {.shared_statistics = shared, .locking = locking}});
      const auto steps = result_of(run).at("steps").get<int>();
      EXPECT_GE(steps, 2000);
      EXPECT_LT(steps, 2000 + 4 * 5);  // each thread ends the rollout that it is in
    }
  }
}

TEST_F(A3cTest, GoesOnAfterEachCheckpoint) {
  train({.folder = folder("run"), .checkpoint_minutes = 1e-5}, {.learners = 3});
  EXPECT_GE(result_of(folder("run")).at("steps"), 2000);
  expect_checkpoints_on_the_way(folder("run"));
}

TEST_F(A3cTest, AStopLeavesACheckpointOfTheLastStep) {
  std::atomic<int> asked = 0;
  train({.folder = folder("stopped"), .stop_requested = [&] { return ++asked > 20; }},
        {.learners = 3});
  const auto found = latest_of(folder("stopped"));
  EXPECT_EQ(found.step, result_of(folder("stopped")).at("steps"));
  EXPECT_LT(found.step, 2000);
  EXPECT_GT(found.step, 0);
}

/// The four methods of section 4.
std::vector<std::function<Algorithm()>> methods() {
  return {[] { return make_a2c({.gamma = 0.99}); }, value_method(QMethod::one_step_q),
          value_method(QMethod::one_step_sarsa), value_method(QMethod::n_step_q)};
}

// Seen hanging when the threads' loop ignored the stop token: the other threads went on to the
// budget.
TEST_F(A3cTest, AnErrorInOneThreadStopsAllAndIsReportedOnce) {
  for (const auto& make_algorithm : methods()) {
    const TemporaryFolder root;
    try {
      train({.folder = root.path() / "failing",
             .make_env = [](int index) { return std::make_unique<Failing>(index == 2); },
             .make_algorithm = make_algorithm,
             .steps = 1'000'000'000},
            {.learners = 4});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("environment 2"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("the pole broke"), std::string::npos);
    }
  }
}

// The budget is too large for the test to end in time without the check.
TEST_F(A3cTest, ParametersThatAreNotFiniteEndTheRunAndSpoilNoCheckpoint) {
  for (const auto& make_algorithm : methods()) {
    const TemporaryFolder root;
    expect_divergence_to_spoil_no_checkpoint(
        {.folder = root.path() / "nan",
         .make_algorithm = make_algorithm,
         .steps = 1'000'000'000,
         .checkpoint_minutes = 0},
        [](const auto& scenario) { train(scenario, {.learners = 2}); });
  }
}

TEST_F(A3cTest, ParametersOfAContinuousAgentThatAreNotFiniteEndTheRun) {
  expect_divergence_to_spoil_no_checkpoint(
      {.folder = folder("nan"),
       .make_env = make_pendulum,
       .make_algorithm = make_continuous,
       .steps = 1'000'000'000,
       .checkpoint_minutes = 0,
       .lstm = 6,
       .separate = true},
      [](const auto& scenario) { train(scenario, {.learners = 2, .t_max = 20}); });
}

}  // namespace
}  // namespace tandem
