// Compares A2C's returns, loss and gradients at the heads with those of PyTorch's autograd.
#include "tandem/algo/a2c.h"

#include "tests/golden/golden.h"

namespace tandem {
namespace {

/// The inputs of `a2c_case` in golden_losses.py.
Rollout a2c_rollout(int steps, int envs, std::uint32_t actions) {
  EnvSpec spec;
  spec.frame_shape = {1};
  spec.num_actions = actions;
  Rollout rollout(spec, steps, envs);
  const auto rewards = golden_numbers(static_cast<std::size_t>(steps) * envs, 4);
  for (int t = 0; t < steps; ++t) {
    for (int e = 0; e < envs; ++e) {
      const std::uint32_t i = t * envs + e;
      rollout.actions(t)[e] = static_cast<std::int32_t>(golden_bits(i, 3) % actions);
      rollout.rewards(t)[e] = rewards[i];
      rollout.discounts(t)[e] = golden_bits(i, 5) % 5 == 0 ? 0.0f : 0.99f;
    }
  }
  std::ranges::copy(golden_numbers(envs, 6), rollout.values(steps).begin());
  const auto behaviour = golden_numbers(static_cast<std::size_t>(steps) * envs, 7);
  for (int t = 0; t < steps; ++t) {
    for (int e = 0; e < envs; ++e) {
      rollout.taken(t).log_probabilities[e] = behaviour[t * envs + e] - 1.4f;
    }
  }
  return rollout;
}

class A2cGolden : public testing::TestWithParam<int> {};

TEST_P(A2cGolden, LossAndGradientsAreThoseOfPyTorch) {
  const auto golden = golden_cases("a2c").at(GetParam());
  SCOPED_TRACE(golden["name"].get<std::string>());
  const int steps = golden["steps"];
  const int envs = golden["envs"];
  const std::int64_t actions = golden["actions"];
  const std::int64_t samples = std::int64_t{steps} * envs;
  const auto rollout = a2c_rollout(steps, envs, static_cast<std::uint32_t>(actions));
  ASSERT_GE(golden["terminals"], 1);

  A2cConfig config;
  if (golden["limits"].is_null()) {
    std::vector<float> returns(samples);
    n_step_returns(rollout, returns);
    expect_near(returns, golden["returns"], "returns");
  } else {
    config.correction = "vtrace";
    config.rho_limit = golden["limits"][0];
    config.c_limit = golden["limits"][1];
  }
  config.entropy = golden["entropy_factor"];
  config.value_loss = golden["value_factor"];
  config.loss_scale = golden["loss_scale"];
  config.log_epsilon = golden["log_epsilon"];
  auto logits = golden_numbers(samples * actions, 1);
  for (auto& logit : logits) logit *= golden["logit_size"].get<float>();
  auto value = golden_numbers(samples, 2);
  std::vector<float> logits_gradient(logits.size());
  std::vector<float> value_gradient(value.size());
  const auto stats = make_a2c(config).rollout_loss().loss(
      {samples, actions, logits, value}, rollout, golden["weight"],
      {samples, actions, logits_gradient, value_gradient});

  expect_near(logits_gradient, golden["logits_gradient"], "gradient of the logits");
  expect_near(value_gradient, golden["value_gradient"], "gradient of the values");
  expect_near(stats.policy_loss, golden["policy_loss"], 0, "policy loss");
  expect_near(stats.value_loss, golden["value_loss"], 0, "value loss");
  expect_near(stats.entropy, golden["entropy"], 0, "entropy");
  EXPECT_EQ(stats.samples, samples);
}

std::vector<float> gradient_of(const A2cConfig& config, std::int64_t steps) {
  constexpr std::int64_t kSamples = 20;
  constexpr std::int64_t kActions = 4;
  const auto rollout = a2c_rollout(5, 4, kActions);
  auto logits = golden_numbers(kSamples * kActions, 1);
  auto value = golden_numbers(kSamples, 2);
  std::vector<float> gradient(logits.size() + value.size());
  const std::span all(gradient);
  const Algorithm algorithm = make_a2c(config);
  ScheduledLoss(algorithm.rollout_loss(), steps)
      ->loss({kSamples, kActions, logits, value}, rollout, 1,
             {kSamples, kActions, all.first(logits.size()), all.subspan(logits.size())});
  return gradient;
}

// Seen failing with a schedule that does not stop at its end.
TEST(A2cEntropy, FallsLinearlyToItsEnd) {
  const A2cConfig falling{.entropy = 0.25, .entropy_end = 0.03125, .entropy_steps = 1000};
  const auto constant = [](double entropy) { return gradient_of({.entropy = entropy}, 0); };
  EXPECT_EQ(gradient_of(falling, 0), constant(0.25));
  EXPECT_EQ(gradient_of(falling, 500), constant(0.140625));
  EXPECT_EQ(gradient_of(falling, 1000), constant(0.03125));
  EXPECT_EQ(gradient_of(falling, 5000), constant(0.03125));
  EXPECT_NE(constant(0.25), constant(0.140625));
}

TEST(A2cEntropy, IsConstantByDefault) {
  EXPECT_EQ(make_a2c({}).rollout_loss().at(1'000'000), nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, A2cGolden, golden_indices("a2c"), GoldenName{"a2c"});

}  // namespace
}  // namespace tandem
