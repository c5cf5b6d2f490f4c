// Compares the loss of A2C with continuous actions, and its gradients at the heads, with results of
// PyTorch's MultivariateNormal and autograd.
#include "tandem/algo/a2c.h"
#include "tests/golden/golden.h"

namespace tandem {
namespace {

/// The inputs of `gaussian_case` in golden_losses.py.
Rollout gaussian_rollout(int steps, int envs, int dims) {
  EnvSpec spec;
  spec.frame_shape = {1};
  spec.action_low.assign(static_cast<std::size_t>(dims), -1.0f);
  spec.action_high.assign(static_cast<std::size_t>(dims), 1.0f);
  Rollout rollout(spec, steps, envs);
  const auto samples = static_cast<std::size_t>(steps) * envs;
  const auto rewards = golden_numbers(samples, 4);
  const auto taken = golden_numbers(samples * dims, 3);
  for (int t = 0; t < steps; ++t) {
    const auto controls = rollout.controls(t);
    for (std::size_t k = 0; k < controls.size(); ++k)
      controls[k] = 2 * taken[t * controls.size() + k];
    for (int e = 0; e < envs; ++e) {
      const std::uint32_t i = t * envs + e;
      rollout.rewards(t)[e] = rewards[i];
      rollout.discounts(t)[e] = golden_bits(i, 5) % 5 == 0 ? 0.0f : 0.99f;
    }
  }
  std::ranges::copy(golden_numbers(envs, 6), rollout.values(steps).begin());
  return rollout;
}

class GaussianGolden : public testing::TestWithParam<int> {};

TEST_P(GaussianGolden, LossAndGradientsAreThoseOfPyTorch) {
  const auto golden = golden_cases("gaussian").at(GetParam());
  SCOPED_TRACE(golden["name"].get<std::string>());
  const int steps = golden["steps"];
  const int envs = golden["envs"];
  const int dims = golden["dims"];
  const std::int64_t samples = std::int64_t{steps} * envs;
  const auto rollout = gaussian_rollout(steps, envs, dims);

  A2cConfig config;
  config.entropy = golden["entropy_factor"];
  config.value_loss = golden["value_factor"];
  auto outputs = golden_numbers(samples * (dims + 1), 1);
  for (auto& output : outputs) output *= golden["output_size"].get<float>();
  auto value = golden_numbers(samples, 2);
  std::vector<float> outputs_gradient(outputs.size());
  std::vector<float> value_gradient(value.size());
  const auto stats = make_gaussian_a2c(config).rollout_loss().loss(
      {samples, dims + 1, outputs, value}, rollout, golden["weight"],
      {samples, dims + 1, outputs_gradient, value_gradient});

  expect_near(outputs_gradient, golden["outputs_gradient"], "gradient of the policy's outputs");
  expect_near(value_gradient, golden["value_gradient"], "gradient of the values");
  expect_near(stats.policy_loss, golden["policy_loss"], 0, "policy loss");
  expect_near(stats.value_loss, golden["value_loss"], 0, "value loss");
  expect_near(stats.entropy, golden["entropy"], 0, "entropy");
}

INSTANTIATE_TEST_SUITE_P(All, GaussianGolden, golden_indices("gaussian"), GoldenName{"gaussian"});

}  // namespace
}  // namespace tandem
