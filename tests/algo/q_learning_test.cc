#include "tandem/algo/q_learning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/judged.h"

namespace tandem {
namespace {

using testing::Each;
using testing::ElementsAre;

Algorithm make(QMethod method) { return make_q_learning(method, {}, 1, 4); }

/// Actions of `count` environments with the same action values.
std::vector<std::int32_t> act(std::vector<float> row, std::size_t count, float epsilon) {
  std::vector<float> q;
  std::vector<Stream> streams;
  streams.reserve(count);
  std::vector<Stream*> pointers;
  for (std::size_t i = 0; i < count; ++i) {
    q.insert(q.end(), row.begin(), row.end());
    pointers.push_back(&streams.emplace_back(1, i));
  }
  std::vector<std::int32_t> actions(count);
  make(QMethod::n_step_q)
      .acting->act({static_cast<std::int64_t>(count), static_cast<std::int64_t>(row.size()), q, {}},
                   pointers, std::vector(count, epsilon), {actions});
  return actions;
}

TEST(QLearning, WithoutEpsilonTheBestActionIsTaken) {
  EXPECT_THAT(act({-1, 3, 2}, 1000, 0), Each(1));
}

// Seen failing with the comparison of the draw reversed.
TEST(QLearning, EpsilonIsTheChanceOfABlindAction) {
  constexpr int kDraws = 100'000;
  std::vector<int> seen(4);
  for (const auto action : act({0, 1, 5, 2}, kDraws, 0.4f)) ++seen[action];
  // The tolerance is three deviations.
  for (const int other : {0, 1, 3}) EXPECT_NEAR(seen[other], 0.1 * kDraws, 300) << other;
  EXPECT_NEAR(seen[2], 0.7 * kDraws, 450);
}

TEST(QLearning, SarsasValueIsThatOfTheActionTaken) {
  std::vector<float> q{1, 2, 3, 6, 5, 4};
  const std::vector<std::int32_t> actions{0, 1};
  std::vector<float> values(2);
  const Heads heads{2, 3, q, {}};
  make(QMethod::one_step_sarsa).acting->values(heads, actions, values);
  EXPECT_THAT(values, ElementsAre(1, 5));
  for (const auto method : {QMethod::one_step_q, QMethod::n_step_q}) {
    make(method).acting->values(heads, actions, values);
    EXPECT_THAT(values, ElementsAre(3, 6));
  }
}

// Seen failing with the value of the best action in place of the chosen one, and with that value as
// Sarsa's state value.
TEST(QLearning, JudgesByTheValueOfTheActionTaken) {
  std::vector<float> q{1, 2, 3, 6, 5, 4};
  std::vector<std::int32_t> chosen{0, 1};
  for (const auto method : {QMethod::one_step_q, QMethod::one_step_sarsa, QMethod::n_step_q}) {
    const auto judged = judge(*make(method).acting, {2, 3, q, {}}, {chosen});
    EXPECT_THAT(judged.action_values, ElementsAre(1, 5));
    if (method == QMethod::one_step_sarsa) {
      EXPECT_THAT(judged.state_values, ElementsAre(1, 5));
    } else {
      EXPECT_THAT(judged.state_values, ElementsAre(3, 6));
    }
  }
}

TEST(QLearning, EachMethodBootstrapsFromItsOwnStates) {
  EXPECT_EQ(make(QMethod::one_step_q).rollout_loss().needs().bootstrap, Bootstrap::every_state);
  EXPECT_EQ(make(QMethod::one_step_sarsa).rollout_loss().needs().bootstrap,
            Bootstrap::every_action);
  EXPECT_EQ(make(QMethod::n_step_q).rollout_loss().needs().bootstrap, Bootstrap::last_state);
}

TEST(QLearning, TargetNetworkIsRefreshedByFrames) {
  EXPECT_EQ(make(QMethod::n_step_q).rollout_loss().needs().target_steps, 10'000);
  EXPECT_EQ(make_q_learning(QMethod::n_step_q, {.target_frames = 3}, 1, 4)
                .rollout_loss()
                .needs()
                .target_steps,
            1);
}

TEST(QLearning, ReportsTheEpsilonOfEachSample) {
  EnvSpec spec;
  spec.frame_shape = {1};
  spec.num_actions = 2;
  Rollout rollout(spec, 3, 2);
  for (int t = 0; t < 3; ++t) {
    rollout.epsilons(t)[0] = 0.5f;
    rollout.epsilons(t)[1] = t < 2 ? 0.25f : 0.125f;
  }
  std::vector<float> q(12), gradient(12);
  const auto stats = make(QMethod::one_step_q)
                         .rollout_loss()
                         .loss({6, 2, q, {}}, rollout, 1, {6, 2, gradient, {}});
  EXPECT_DOUBLE_EQ(stats.epsilon, 3 * 0.5 + 2 * 0.25 + 0.125);
}

TEST(QLearning, ClipsRewardsUnlessToldNotTo) {
  EXPECT_EQ(make(QMethod::one_step_q).acting->reward(-20), -1);
  EXPECT_EQ(make_q_learning(QMethod::one_step_q, {.reward_clip = 0}, 1, 1).acting->reward(20), 20);
}

}  // namespace
}  // namespace tandem
