#include "tandem/algo/dqn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/arithmetic.h"
#include "tests/support/judged.h"

namespace tandem {
namespace {

// Ape-X, section 4.1, with epsilon = 0.4 and alpha = 7, computed by hand. Seen failing with i / N
// instead of i / (N - 1).
TEST(Dqn, EachActorExploresDifferently) {
  const DqnConfig config;
  EXPECT_DOUBLE_EQ(actor_epsilon(config, 0, 8), 0.4);
  EXPECT_DOUBLE_EQ(actor_epsilon(config, 7, 8), std::pow(0.4, 8));
  EXPECT_DOUBLE_EQ(actor_epsilon(config, 3, 8), std::pow(0.4, 4));
  EXPECT_DOUBLE_EQ(actor_epsilon(config, 0, 1), 0.4);
}

TEST(Dqn, ActorsCanShareAFewEpsilons) {
  const DqnConfig config{.epsilons = 6};
  EXPECT_DOUBLE_EQ(actor_epsilon(config, 0, 256), 0.4);
  EXPECT_DOUBLE_EQ(actor_epsilon(config, 5, 256), std::pow(0.4, 8));
  EXPECT_DOUBLE_EQ(actor_epsilon(config, 6, 256), 0.4);
  // Four actors need only four epsilons.
  EXPECT_DOUBLE_EQ(actor_epsilon(config, 1, 4), actor_epsilon({}, 1, 4));
}

// Wang et al. 2016, equation 9. Seen failing without the mean.
TEST(Dqn, ActionValuesAreTheValueAndAdvantagesAroundTheirMean) {
  std::vector<float> advantages{1, 2, 6, 0, 0, 3};
  std::vector<float> value{10, -1};
  std::vector<float> q(6);
  action_values({2, 3, advantages, value}, q);
  EXPECT_EQ(q, (std::vector<float>{8, 9, 13, -2, -2, 1}));
  action_values({2, 3, advantages, {}}, q);
  EXPECT_EQ(q, advantages);
}

TEST(Dqn, ActsBlindlyByChanceAndElseForTheHighestValue) {
  const auto dqn = make_dqn({}, 2, true);
  std::vector<float> advantages{0, 2, 1, 3, 0, 1};
  std::vector<float> value{5, 5};
  std::vector<Stream> streams{Stream(1, 0), Stream(1, 1)};
  std::vector<Stream*> each{&streams[0], &streams[1]};
  std::vector<std::int32_t> actions(2);
  const Heads heads{2, 3, advantages, value};
  int blind = 0;
  for (int i = 0; i < 1000; ++i) {
    dqn.acting->act(heads, each, std::vector<float>{0, 1}, {actions});
    ASSERT_EQ(actions[0], 1);
    blind += actions[1] != 0 ? 1 : 0;
  }
  EXPECT_NEAR(blind, 667, 60);
  std::vector<float> values(2);
  dqn.acting->values(heads, actions, values);
  EXPECT_EQ(values, (std::vector<float>{6, 5 + 3 - 4.0F / 3}));
  EXPECT_EQ(dqn.acting->reward(-7), -1);
}

// Computed by hand: the means of the advantages are 1 and 4/3. Seen failing with the value of the
// best action in place of the chosen action's, and without the mean.
TEST(Dqn, JudgesTheActionTakenAndTheBestOne) {
  const auto dqn = make_dqn({}, 2, true);
  std::vector<float> outputs{0, 2, 1, 3, 0, 1};
  std::vector<float> value{5, 5};
  std::vector<std::int32_t> chosen{2, 1};
  const auto dueling = judge(*dqn.acting, {2, 3, outputs, value}, {chosen});
  EXPECT_EQ(dueling.action_values, (std::vector<float>{5, 0 + (5 - 4.0F / 3)}));
  EXPECT_EQ(dueling.state_values, (std::vector<float>{6, 3 + (5 - 4.0F / 3)}));

  const auto plain = judge(*dqn.acting, {2, 3, outputs, {}}, {chosen});
  EXPECT_EQ(plain.action_values, (std::vector<float>{1, 0}));
  EXPECT_EQ(plain.state_values, (std::vector<float>{2, 3}));
}

// The best action of the next state, its value and the value of the action taken: three passes, of
// which the last goes back. A single Q-learner needs no pass for the best action. Seen failing with
// three passes for both.
TEST(Dqn, CountsThePassesOfItsUpdate) {
  EnvSpec spec;
  spec.frame_shape = {4};
  spec.num_actions = 2;
  const auto architecture = make_architecture({.arch = "mlp"}, spec);
  const auto one = arithmetic_of(architecture);
  EXPECT_EQ(make_dqn({.double_q = true}, 2, true).replay().operations(architecture),
            3 * one.forward + one.backward);
  EXPECT_EQ(make_dqn({.double_q = false}, 2, true).replay().operations(architecture),
            2 * one.forward + one.backward);
}

}  // namespace
}  // namespace tandem
