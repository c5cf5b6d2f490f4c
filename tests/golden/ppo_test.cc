// Compares PPO's advantages, returns, loss and gradients at the heads with PyTorch's.
#include "tandem/algo/ppo.h"

#include <array>
#include <cmath>

#include "tests/golden/golden.h"

namespace tandem {
namespace {

/// The inputs of `ppo_case` in golden_losses.py.
Rollout ppo_rollout(int steps, int envs, std::uint32_t actions, std::span<const float> value) {
  EnvSpec spec;
  spec.frame_shape = {1};
  spec.num_actions = actions;
  Rollout rollout(spec, steps, envs);
  const auto samples = static_cast<std::size_t>(steps) * envs;
  const auto rewards = golden_numbers(samples, 4);
  const auto behaviour = golden_numbers(samples, 7);
  const auto moves = golden_numbers(samples, 8);
  for (int t = 0; t < steps; ++t) {
    for (int e = 0; e < envs; ++e) {
      const std::uint32_t i = t * envs + e;
      rollout.actions(t)[e] = static_cast<std::int32_t>(golden_bits(i, 3) % actions);
      rollout.rewards(t)[e] = rewards[i];
      rollout.discounts(t)[e] = golden_bits(i, 5) % 5 == 0 ? 0.0f : 0.99f;
      rollout.taken(t).log_probabilities[e] = 0.3f * behaviour[i] - std::log(4.0f);
      rollout.values(t)[e] = value[i] + 0.2f * moves[i];
    }
  }
  std::ranges::copy(golden_numbers(envs, 6), rollout.values(steps).begin());
  return rollout;
}

/// The gradients of the loss that `config` describes, after `steps` steps of the run.
std::vector<float> gradients_of(const PpoConfig& config, std::int64_t steps) {
  constexpr std::int64_t kActions = 3;
  constexpr std::int64_t kSamples = 40;
  auto value = golden_numbers(kSamples, 2);
  auto rollout = ppo_rollout(8, 5, kActions, value);
  const std::array rollouts = {&rollout};
  const auto ppo = make_ppo(config);
  const auto scheduled = ppo.rollout_loss().at(steps);
  const RolloutLoss& loss = scheduled != nullptr ? *scheduled : ppo.rollout_loss();
  loss.prepare(rollouts);
  auto logits = golden_numbers(kSamples * kActions, 1);
  for (auto& logit : logits) logit *= 0.1f;
  std::vector<float> gradient(logits.size() + value.size());
  const std::span all(gradient);
  loss.loss({kSamples, kActions, logits, value}, rollout, 1,
            {kSamples, kActions, all.first(logits.size()), all.subspan(logits.size())});
  return gradient;
}

// Seen failing with a schedule that does not stop at its end.
TEST(PpoClip, FallsLinearlyToItsEnd) {
  const PpoConfig falling{.clip = 0.25, .clip_end = 0.03125, .clip_steps = 1000};
  const auto constant = [](double clip) { return gradients_of({.clip = clip}, 0); };
  EXPECT_EQ(gradients_of(falling, 0), constant(0.25));
  EXPECT_EQ(gradients_of(falling, 500), constant(0.140625));
  EXPECT_EQ(gradients_of(falling, 1000), constant(0.03125));
  EXPECT_EQ(gradients_of(falling, 5000), constant(0.03125));
  EXPECT_NE(constant(0.25), constant(0.140625));
  EXPECT_NE(constant(0.140625), constant(0.03125));
}

TEST(PpoClip, IsConstantByDefault) {
  EXPECT_EQ(make_ppo({}).rollout_loss().at(1'000'000), nullptr);
}

class PpoGolden : public testing::TestWithParam<int> {};

TEST_P(PpoGolden, LossAndGradientsAreThoseOfPyTorch) {
  const auto golden = golden_cases("ppo").at(GetParam());
  SCOPED_TRACE(golden["name"].get<std::string>());
  const int steps = golden["steps"];
  const int envs = golden["envs"];
  const std::int64_t actions = golden["actions"];
  const std::int64_t samples = std::int64_t{steps} * envs;
  PpoConfig config;
  config.lambda = golden["lambda"];
  config.clip = golden["clip"];
  config.entropy = golden["entropy_factor"];
  config.value_loss = golden["value_factor"];
  config.value_clip = golden["value_clip"];
  config.normalise = golden["normalise"];
  const auto ppo = make_ppo(config);

  auto value = golden_numbers(samples, 2);
  auto rollout = ppo_rollout(steps, envs, static_cast<std::uint32_t>(actions), value);
  const std::array rollouts = {&rollout};
  ppo.rollout_loss().prepare(rollouts);
  expect_near(rollout.advantages(), golden["advantages"], "advantages");
  expect_near(rollout.returns(), golden["returns"], "returns");

  auto logits = golden_numbers(samples * actions, 1);
  for (auto& logit : logits) logit *= 0.1f;
  std::vector<float> logits_gradient(logits.size());
  std::vector<float> value_gradient(value.size());
  const auto stats = ppo.rollout_loss().loss({samples, actions, logits, value}, rollout,
                                             1.0 / static_cast<double>(samples),
                                             {samples, actions, logits_gradient, value_gradient});
  expect_near(logits_gradient, golden["logits_gradient"], "gradient of the logits");
  expect_near(value_gradient, golden["value_gradient"], "gradient of the values");
  expect_near(stats.policy_loss, golden["policy_loss"], 0, "policy loss");
  expect_near(stats.value_loss, golden["value_loss"], 0, "value loss");
  expect_near(stats.entropy, golden["entropy"], 0, "entropy");
  expect_near(stats.divergence, golden["divergence"], 0, "divergence");
  EXPECT_EQ(stats.clipped, golden["clipped"]);
  EXPECT_GE(stats.clipped, 1);
  EXPECT_LT(stats.clipped, samples);
}

INSTANTIATE_TEST_SUITE_P(All, PpoGolden, golden_indices("ppo"), GoldenName{"ppo"});

}  // namespace
}  // namespace tandem
