// Ape-X as a whole, over a linear network so that ThreadSanitizer sees all of it.
#include "tandem/systems/apex/apex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tandem/algo/dpg.h"
#include "tandem/algo/dqn.h"
#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tests/support/counted_env.h"
#include "tests/support/env_around.h"
#include "tests/support/error_of.h"
#include "tests/support/noisy_env.h"
#include "tests/support/scenario.h"
#include "tests/support/wrapped_rule.h"
#include "tests/systems/apex/apex_run.h"

namespace tandem {
namespace {

using testing::Each;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class ApexTest : public ApexRunTest {};

// The count holds across checkpoints and at the end of the run. Seen failing when the steps since
// an actor's last report were left out.
TEST_F(ApexTest, CountsEveryStepThatWasPlayed) {
  std::atomic<int> steps = 0;
  std::atomic<int> starts = 0;
  train({.folder = folder("run"),
         .make_env = [&](int) { return std::make_unique<Counted>(steps, starts); },
         .steps = 5'000,
         .checkpoint_minutes = 1e-4},
        small_, replay_);
  EXPECT_EQ(result_of(folder("run")).at("steps"), steps.load());
  EXPECT_GE(steps, 5'000);
}

/// CartPole of which one step lasts until a count of other steps stands still, or for ten seconds.
class AwaitsRest final : public EnvAround {
 public:
  AwaitsRest(const std::atomic<int>& count, std::atomic<bool>& rested, std::atomic<bool>& over)
      : count_(count), rested_(rested), over_(over) {}

  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    if (++steps_ == 200) await_rest();
    return EnvAround::step(actions, stream, frame);
  }

 private:
  void await_rest() {
    const Stopwatch watch;
    while (!rested_ && watch.seconds() < 10) {
      const int before = count_;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      rested_ = count_ == before;
    }
    over_ = true;
  }

  const std::atomic<int>& count_;
  std::atomic<bool>& rested_;
  std::atomic<bool>& over_;
  int steps_ = 0;
};

// A checkpoint takes the seat of actor 0, and then waits for the long step of actor 1. Actor 2,
// whose turn comes last, must rest already.
TEST_F(ApexTest, ActorsRestAtTheSameTimeForACheckpoint) {
  std::atomic<int> steps = 0;
  std::atomic<int> starts = 0;
  std::atomic<bool> rested = false;
  std::atomic<bool> over = false;
  auto config = small_;
  config.envs = 1;
  auto replay = replay_;
  replay.samples_per_insert = 0;  // actor 2 never waits for the learner
  const auto make_env = [&](int index) -> std::unique_ptr<Env> {
    if (index == 1) return std::make_unique<AwaitsRest>(steps, rested, over);
    if (index == 2) return std::make_unique<Counted>(steps, starts);
    return make_builtin_family()->make("cartpole", 0);
  };
  train({.folder = folder("run"),
         .make_env = make_env,
         .steps = 1'000'000'000,
         .checkpoint_minutes = 1e-4,
         .stop_requested = [&] { return over.load(); }},
        config, replay);
  EXPECT_TRUE(rested);
}

// Each update observes its batch. Batches repeat observations of a replay, so only the count is
// exact. The checkpoint has the statistics of theta, and those of theta- when it was copied.
TEST_F(ApexTest, StatisticsAreThoseOfTheBatches) {
  for (const bool continuous : {false, true}) {
    const auto name = continuous ? "dpg" : "dqn";
    auto scenario = noisy(folder(name), continuous ? 1000 : 4000);
    scenario.make_env = [=](int) { return std::make_unique<NoisyEnv>(continuous); };
    scenario.deterministic = continuous;
    const auto algorithm =
        continuous ? make_dpg({.target_updates = 20}, NoisyEnv(true).spec()) : dqn(small_);
    auto parameters = train(scenario, small_, replay_, algorithm);
    const auto found = latest(name);
    const double updates = found.checkpoint.part("replay_learner").at("updates").get<double>();
    ASSERT_GE(updates, 40);
    const auto statistics = noisy_statistics(parameters);
    EXPECT_EQ(statistics.count[0], updates * static_cast<double>(small_.batch));
    EXPECT_NEAR(statistics.mean[0], 5, 0.005);
    EXPECT_NEAR(statistics.mean[1], -300, 50);
    EXPECT_NEAR(std::sqrt(statistics.variance[0]), 0.01, 0.005);
    EXPECT_NEAR(std::sqrt(statistics.variance[1]), 100, 50);
    const auto target = found.checkpoint.tensor("target");
    std::vector<float> theta_minus(target.begin(), target.end());
    ASSERT_EQ(theta_minus.size(), parameters.size());
    EXPECT_EQ(noisy_statistics(theta_minus).count[0],
              std::floor(updates / 20) * 20 * static_cast<double>(small_.batch));
  }
}

// CartPole gives a reward of 1 for each step, so every return is at least 1. Seen failing when the
// report left out bytes_per_transition, and when it left out all returns.
TEST_F(ApexTest, LogsWhatTheAppendixHas) {
  train({.folder = folder("run"), .steps = 10'000}, small_, replay_);
  EXPECT_THAT(logged("run", "replay/bytes_per_transition"), Each(Gt(16)));
  EXPECT_THAT(logged("run", "replay/age_transitions"), Each(Gt(0)));
  EXPECT_THAT(logged("run", "replay/priority_median"), Each(Gt(0)));
  EXPECT_THAT(logged("run", "apex/return_epsilon_0.4"), Each(Ge(1)));
  EXPECT_THAT(logged("run", "apex/return_epsilon_0.00066"), Each(Ge(1)));
}

TEST_F(ApexTest, AStopLeavesACheckpointOfTheLastStepAndAResumedRunGoesOn) {
  std::atomic<int> asked = 0;
  train(
      {.folder = folder("run"), .steps = 1'000'000, .stop_requested = [&] { return ++asked > 60; }},
      small_, replay_);
  const auto found = latest("run");
  EXPECT_EQ(found.step, result_of(folder("run")).at("steps"));
  EXPECT_LT(found.step, 1'000'000);
  const auto further = found.step + 2000;
  train({.folder = folder("run"), .steps = further, .resume = true}, small_, replay_);
  EXPECT_GE(result_of(folder("run")).at("steps"), further);
}

/// Environment 1 breaks once at its 57th step.
EnvFactory breaks_once(std::atomic<int>& made) {
  return [&made](int index) { return std::make_unique<Failing>(index == 1 && ++made == 1); };
}

/// Notes the environments whose first episode asks for an epsilon.
class NotingRule final : public WrappedRule {
 public:
  using WrappedRule::WrappedRule;

  [[nodiscard]] float epsilon(int env, std::int64_t episode, std::int64_t steps) const override {
    if (episode == 0) {
      const std::lock_guard lock(mutex_);
      begun_.push_back(env);
    }
    return WrappedRule::epsilon(env, episode, steps);
  }

  [[nodiscard]] std::vector<int> begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<int> begun_;
};

// Seen failing when the restarted actor got a new number.
TEST_F(ApexTest, AnActorThatFailsBeginsAnewWithItsOwnEpsilon) {
  std::atomic<int> made = 0;
  auto config = small_;
  config.envs = 1;
  auto algorithm = dqn(config);
  const auto rule = std::make_shared<const NotingRule>(algorithm.acting);
  algorithm.acting = rule;
  // The run itself asks once for each environment, to log returns by epsilon.
  const auto begun_anew = [&] { return rule->begun().size() >= 3 + 4; };
  train({.folder = folder("run"),
         .make_env = breaks_once(made),
         .steps = 1'000'000,
         .stop_requested = begun_anew},
        config, replay_, algorithm);
  EXPECT_EQ(result_of(folder("run")).at("why_ended"), "signal");
  EXPECT_THAT(rule->begun(), UnorderedElementsAre(0, 1, 2, 0, 1, 2, 1));
}

TEST_F(ApexTest, AnActorThatFailsAgainAndAgainEndsTheRun) {
  std::atomic<int> made = 0;
  const auto make_env = [&](int index) {
    if (index == 1) ++made;
    return std::make_unique<Failing>(index == 1);
  };
  auto config = small_;
  config.envs = 1;
  config.restarts = 2;
  const auto error = error_of([&] {
    train({.folder = folder("run"), .make_env = make_env, .steps = 1'000'000}, config, replay_);
  });
  EXPECT_THAT(error, HasSubstr("environment 1"));
  EXPECT_EQ(made, 3);
}

// Seen failing when an error at an actor's beginning led to no restart.
TEST_F(ApexTest, AnActorThatCannotBeginTriesAgain) {
  std::atomic<int> made = 0;
  const auto make_env = [&](int index) -> std::unique_ptr<Env> {
    if (index == 1 && ++made == 1) throw Error("no such game, for now");
    return make_builtin_family()->make("cartpole", 0);
  };
  train({.folder = folder("run"),
         .make_env = make_env,
         .steps = 1'000'000,
         .stop_requested = [&] { return made == 2; }},
        small_, replay_);
  EXPECT_EQ(result_of(folder("run")).at("why_ended"), "signal");
  EXPECT_EQ(made, 2);
}

/// CartPole whose rewards are NaN.
class Unrewarding final : public EnvAround {
 public:
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    auto result = EnvAround::step(actions, stream, frame);
    result.reward = std::nanf("");
    return result;
  }
};

// Seen failing when rewards were not checked: the message blamed the learning rate.
TEST_F(ApexTest, ARewardThatIsNoNumberIsTheEnvironmentsError) {
  const Scenario scenario{
      .folder = folder("run"),
      .make_env = [](int) -> std::unique_ptr<Env> { return std::make_unique<Unrewarding>(); },
      .steps = 3'000};
  EXPECT_THAT(error_of([&] { train(scenario, small_, replay_); }),
              testing::AllOf(HasSubstr("environment"), HasSubstr("a reward of nan")));
}

TEST_F(ApexTest, ParametersThatAreNotFiniteEndTheRunAndSpoilNoCheckpoint) {
  expect_divergence_to_spoil_no_checkpoint(
      {.folder = folder("nan"), .steps = 100'000, .checkpoint_minutes = 0},
      [&](const auto& scenario) { train(scenario, small_, replay_); });
}

// Stops, errors and checkpoints come at random points, also before some actors have begun or while
// the replay fills. Seen hanging when actors waited for samples without checking the crew's stop.
TEST_F(ApexTest, EndsWhereverItIsStopped) {
  std::minstd_rand random(5);
  for (int point = 0; point < 24; ++point) {
    const ApexConfig config = {.actors = 1 + static_cast<int>(random() % 6),
                               .envs = 1 + static_cast<int>(random() % 2),
                               .n = 1 + static_cast<int>(random() % 4),
                               .batch = 1 + static_cast<int>(random() % 16),
                               .prefetch = 1 + static_cast<int>(random() % 3),
                               .trim_updates = 1 + static_cast<int>(random() % 8),
                               .copies = 1 + static_cast<int>(random() % 2),
                               .restarts = static_cast<int>(random() % 2)};
    auto replay = replay_;
    replay.min_fill = 1 + static_cast<int>(random() % 300);
    replay.capacity = replay.min_fill + 100;
    replay.remover = point % 4 == 0 ? "inverse_priority" : "fifo";
    const int step = 1 + static_cast<int>(random() % 300);
    std::atomic<int> asked = 0;
    Scenario scenario{.folder = folder(std::to_string(point)),
                      .steps = 100'000,
                      .checkpoint_minutes = point % 3 == 0 ? 1e-4 : 10,
                      .stop_requested = [&] { return ++asked > step; }};
    if (point % 2 == 0) {
      scenario.make_env = [step](int index) { return std::make_unique<Failing>(index == 0, step); };
    }
    try {
      train(scenario, config, replay);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("the pole broke"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tandem
