// Promises of all systems: resumed games go on, and settings that no system owns reach each.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tandem/algo/dqn.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/systems/a3c/a3c.h"
#include "tandem/systems/apex/apex.h"
#include "tandem/systems/ga3c/ga3c.h"
#include "tandem/systems/hts/hts.h"
#include "tandem/systems/impala/impala.h"
#include "tandem/systems/paac/paac.h"
#include "tests/support/noisy_env.h"
#include "tests/support/noting_actions.h"
#include "tests/support/scenario.h"
#include "tests/support/small_apex.h"
#include "tests/support/wrapped_rule.h"

namespace tandem {
namespace {

constexpr std::size_t kSixEnvs = 6;  // of each system below

struct OneSystem {
  std::string name;
  std::function<void(TrainingContext&)> train;
  std::function<Algorithm()> make_algorithm;
  std::int64_t lstm;  // cells
};

std::vector<OneSystem> every_system() {
  const auto plain = [] { return make_a2c({.gamma = 0.99}); };
  const auto corrected = [] { return make_a2c({.correction = "vtrace"}); };
  return {{"paac", [](auto& c) { train_paac({.envs = 6, .envs_per_group = 3}, c); }, plain, 6},
          {"hts", [](auto& c) { train_hts({.envs = 6, .executors = 3, .envs_per_group = 3}, c); },
           plain, 6},
          {"a3c", [](auto& c) { train_a3c({.learners = 6}, c); }, plain, 6},
          {"ga3c",
           [](auto& c) {
             train_ga3c({.agents = 3, .envs = 2, .predictors = 2, .trainers = 2, .min_batch = 20},
                        c);
           },
           corrected, 6},
          {"impala",
           [](auto& c) {
             train_impala({.actors = 3, .envs = 2, .unroll = 5, .batch = 4, .queue = 2}, c);
           },
           corrected, 6},
          {"apex", [](auto& c) { train_apex(kSmallApex, small_replay(), c); },
           [] { return make_dqn({.target_updates = 20}, 6, true); }, 0}};
}

/// By environment: its actions, and kGameBegins where it was reset.
using GameLogs = std::vector<std::vector<std::int32_t>>;
constexpr std::int32_t kGameBegins = -1;

class NotedGame final : public NotingActions {
 public:
  using NotingActions::NotingActions;
  void reset(Stream& stream, std::span<std::byte> frame) override {
    note(kGameBegins);
    NotingActions::reset(stream, frame);
  }
};

/// Keeps the largest reward that it was given.
class LargestReward final : public WrappedRule {
 public:
  using WrappedRule::WrappedRule;
  [[nodiscard]] float reward(float raw) const override {
    float largest = largest_;
    while (largest < std::abs(raw) && !largest_.compare_exchange_weak(largest, std::abs(raw))) {
    }
    return WrappedRule::reward(raw);
  }
  [[nodiscard]] float largest() const { return largest_; }

 private:
  mutable std::atomic<float> largest_ = 0;
};

constexpr int kNever = std::numeric_limits<int>::max();

class EverySystemTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path folder(const std::string& name) const {
    return root_.path() / name;
  }

  /// Plays on into `games`, until the steps are used up or the run has asked so often for a stop.
  void play(const OneSystem& system, const std::string& run, std::int64_t steps, bool resume,
            int asks, GameLogs& games) const {
    std::atomic<int> asked = 0;
    tandem::train({.folder = folder(system.name + run),
                   .make_env =
                       [&](int env) {
                         auto& game = games.at(static_cast<std::size_t>(env));
                         return std::make_unique<NotedGame>(game);
                       },
                   .make_algorithm = system.make_algorithm,
                   .steps = steps,
                   .resume = resume,
                   .optimizer = {.lr = 0},
                   .lstm = system.lstm,
                   .stop_requested = [&] { return asks != kNever && ++asked > asks; }},
                  system.train);
  }

 private:
  TemporaryFolder root_;
};

// At a learning rate of 0 the policy stands still, so each environment plays one and the same game
// whatever the threads do. Some actors have not begun again when the short runs are stopped. Seen
// failing when IMPALA's actors began anew, and when A3C's and GA3C's threads got each other's
// state.
TEST_F(EverySystemTest, AResumedRunPlaysEachGameOn) {
  for (const auto& system : every_system()) {
    SCOPED_TRACE(system.name);
    GameLogs whole(kSixEnvs);
    play(system, "whole", 3'000, false, kNever, whole);
    GameLogs parts(kSixEnvs);
    play(system, "parts", 800, false, kNever, parts);
    const GameLogs first = parts;
    for (const int asks : {1, 3}) play(system, "parts", 3'000, true, asks, parts);
    play(system, "parts", 3'000, true, kNever, parts);
    std::size_t beyond = 0;  // the first part
    for (std::size_t env = 0; env < kSixEnvs; ++env) {
      const auto common = std::min(whole[env].size(), parts[env].size());
      const auto end = whole[env].begin() + static_cast<std::ptrdiff_t>(common);
      EXPECT_TRUE(std::equal(whole[env].begin(), end, parts[env].begin())) << "environment " << env;
      if (common > first[env].size()) beyond += common - first[env].size();
    }
    EXPECT_GT(beyond, 0U);
  }
}

// Half of the schedule is over at the end. Actors may be some hundred steps ahead of the learner,
// and a thread of A3C that had to wait for a core some thousand behind.
// Seen failing in four systems whose learner was always at step 0.
TEST_F(EverySystemTest, TheLearningRateFollowsTheStepsOfTheRun) {
  for (const auto& system : every_system()) {
    SCOPED_TRACE(system.name);
    tandem::train({.folder = folder(system.name),
                   .make_algorithm = system.make_algorithm,
                   .steps = 20'000,
                   .optimizer = {.lr = 0.01, .anneal_steps = 40'000}},
                  system.train);
    std::ifstream metrics(folder(system.name) / "metrics.jsonl");
    double rate = 0;
    for (std::string text; std::getline(metrics, text);) {
      rate = nlohmann::json::parse(text).value("optimizer/learning_rate", rate);
    }
    EXPECT_NEAR(rate, 0.005, 0.002);
  }
}

// NoisyEnv's rewards are 1000; scaled ones are 10 at most. Seen failing when A3C, GA3C and IMPALA
// left the scale out.
TEST_F(EverySystemTest, TheRuleGetsScaledRewardsIfAskedFor) {
  for (const auto& system : every_system()) {
    SCOPED_TRACE(system.name);
    auto scenario = noisy(folder(system.name), 600);
    std::shared_ptr<const LargestReward> rule;
    scenario.make_algorithm = [&] {
      auto algorithm = system.make_algorithm();
      rule = std::make_shared<const LargestReward>(algorithm.acting);
      algorithm.acting = rule;
      return algorithm;
    };
    tandem::train(scenario, system.train);
    EXPECT_GT(rule->largest(), 0);
    EXPECT_LE(rule->largest(), 10);
  }
}

}  // namespace
}  // namespace tandem
