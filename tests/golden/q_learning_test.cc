// Compares the value-based methods' loss and gradient with those of PyTorch's autograd.
#include "tandem/algo/q_learning.h"

#include "tests/golden/golden.h"

namespace tandem {
namespace {

QMethod method_of(const std::string& name) {
  if (name == "one_step_q") return QMethod::one_step_q;
  return name == "one_step_sarsa" ? QMethod::one_step_sarsa : QMethod::n_step_q;
}

/// The inputs of `q_case` in golden_losses.py.
Rollout q_learning_rollout(int steps, int envs, std::uint32_t actions) {
  EnvSpec spec;
  spec.frame_shape = {1};
  spec.num_actions = actions;
  Rollout rollout(spec, steps, envs);
  const auto rewards = golden_numbers(static_cast<std::size_t>(steps) * envs, 4);
  for (int t = 0; t <= steps; ++t) {
    for (int e = 0; e < envs; ++e) {
      const std::uint32_t i = t * envs + e;
      rollout.actions(t)[e] = static_cast<std::int32_t>(golden_bits(i, 3) % actions);
      if (t == steps) continue;
      rollout.rewards(t)[e] = rewards[i];
      rollout.discounts(t)[e] = golden_bits(i, 5) % 5 == 0 ? 0.0f : 0.99f;
    }
  }
  return rollout;
}

class QLearningGolden : public testing::TestWithParam<int> {};

TEST_P(QLearningGolden, LossAndGradientAreThoseOfPyTorch) {
  const auto golden = golden_cases("q_learning").at(GetParam());
  const std::string name = golden["name"];
  SCOPED_TRACE(name);
  const int steps = golden["steps"];
  const int envs = golden["envs"];
  const std::int64_t actions = golden["actions"];
  const std::int64_t samples = std::int64_t{steps} * envs;
  auto rollout = q_learning_rollout(steps, envs, static_cast<std::uint32_t>(actions));
  ASSERT_GE(golden["terminals"], 1);

  const auto algorithm =
      make_q_learning(method_of(name), {.loss_scale = golden["loss_scale"]}, 1, 1);
  // Of Q(s_1 .. s_T, .; theta-), n-step Q uses the last row alone.
  auto q_target = golden_numbers(samples * actions, 2);
  const bool last = algorithm.rollout_loss().needs().bootstrap == Bootstrap::last_state;
  const int first = last ? steps : 1;
  const int rows = steps - first + 1;
  const auto seen = std::span(q_target).last(static_cast<std::size_t>(rows) * envs * actions);
  algorithm.acting->values({std::int64_t{rows} * envs, actions, seen, {}},
                           rollout.actions(first, rows), rollout.values(first, rows));

  auto q = golden_numbers(samples * actions, 1);
  std::vector<float> gradient(q.size(), 7.0f);
  const auto stats = algorithm.rollout_loss().loss(
      {samples, actions, q, {}}, rollout, golden["weight"], {samples, actions, gradient, {}});

  expect_near(gradient, golden["gradient"], "gradient");
  expect_near(stats.value_loss, golden["value_loss"], 0, "loss");
  expect_near(stats.q, golden["q"], 0, "sum of Q(s, a)");
  EXPECT_EQ(stats.samples, samples);
}

INSTANTIATE_TEST_SUITE_P(All, QLearningGolden, golden_indices("q_learning"),
                         GoldenName{"q_learning"});

}  // namespace
}  // namespace tandem
