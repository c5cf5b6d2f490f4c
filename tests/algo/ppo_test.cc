#include "tandem/algo/ppo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tandem/algo/gaussian.h"

namespace tandem {
namespace {

constexpr int kDims = 3;

/// One sample with a continuous action.
struct ContinuousSample {
  ContinuousSample() : rollout(spec(), 1, 1) {
    for (std::size_t j = 0; j < kDims; ++j) rollout.controls(0)[j] = 0.3f * static_cast<float>(j);
    rollout.taken(0).log_probabilities[0] = gaussian::log_probability(outputs, rollout.controls(0));
    rollout.advantages()[0] = 0.7f;
  }

  static EnvSpec spec() {
    EnvSpec spec;
    spec.frame_shape = {1};
    spec.action_low.assign(kDims, -1.0f);
    spec.action_high.assign(kDims, 1.0f);
    return spec;
  }

  LossStats loss(const Algorithm& algorithm) {
    return algorithm.rollout_loss().loss({1, kDims + 1, outputs, value}, rollout, 1,
                                         {1, kDims + 1, d_outputs, d_value});
  }

  std::vector<float> outputs = {0.1f, -0.2f, 0.4f, 0.5f};
  std::vector<float> value = {0.0f};
  std::vector<float> d_outputs = std::vector<float>(kDims + 1);
  std::vector<float> d_value = std::vector<float>(1);
  Rollout rollout;
};

// Equation 9 has the policy's entropy. Seen failing with that of one dimension, which is A3C's.
TEST(Ppo, TheEntropyIsThatOfAllDimensions) {
  const PpoConfig config{.entropy = 0.3};
  const auto algorithm = make_gaussian_ppo(config);
  ContinuousSample sample;
  const double variance = gaussian::variance(sample.outputs);
  const double expected = kDims * 0.5 * (std::log(2 * std::numbers::pi * variance) + 1);
  EXPECT_NEAR(sample.loss(algorithm).entropy, expected, 1e-5);
  const auto gradient = sample.d_outputs;
  for (std::size_t j = 0; j <= kDims; ++j) {
    const auto loss_at = [&](float step) {
      auto moved = sample;
      moved.outputs[j] += step;
      const auto stats = moved.loss(algorithm);
      return stats.policy_loss - config.entropy * stats.entropy;
    };
    EXPECT_NEAR(gradient[j], (loss_at(0.01f) - loss_at(-0.01f)) / 0.02, 1e-3) << j;
  }
}

}  // namespace
}  // namespace tandem
