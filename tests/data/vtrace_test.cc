#include "tandem/data/vtrace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tandem {
namespace {

using testing::FloatEq;
using testing::Pointwise;

/// Two environments, three steps; the second's episode ends with the second step.
Rollout rollout() {
  EnvSpec spec;
  spec.frame_shape = {1};
  spec.num_actions = 2;
  Rollout rollout(spec, 3, 2);
  for (int t = 0; t < 3; ++t) {
    for (int e = 0; e < 2; ++e) {
      rollout.rewards(t)[e] = static_cast<float>(t + 1);
      rollout.discounts(t)[e] = e == 1 && t == 1 ? 0.0F : 0.5F;
    }
  }
  rollout.values(3)[0] = 4;
  rollout.values(3)[1] = 8;
  return rollout;
}

struct Targets {
  std::vector<float> values = std::vector<float>(6);
  std::vector<float> advantages = std::vector<float>(6);
};

Targets targets(std::span<const float> values, std::span<const float> log_ratios,
                const VtraceLimits& limits) {
  Targets targets;
  vtrace(rollout(), values, log_ratios, limits, {targets.values, targets.advantages});
  return targets;
}

const std::vector<float> kValues = {1, -1, 0.5, 2, -2, 3};

TEST(Vtrace, ThatOfItsOwnPolicyIsTheNStepReturn) {
  const auto vtrace = targets(kValues, std::vector<float>(6), {});
  std::vector<float> returns(6);
  n_step_returns(rollout(), returns);
  EXPECT_THAT(vtrace.values, Pointwise(FloatEq(), returns));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_FLOAT_EQ(vtrace.advantages[i], returns[i] - kValues[i]);
  }
}

// Computed by hand for the first environment: V = 1, 0.5, -2, then 4; rewards 1, 2, 3; ratios 3,
// 1/2, 2, limited to rho = 2 and c = 1. The errors delta are 0.25, 0.5 and 7; v - V is 2 * 7 = 14,
// then 0.5 * 0.5 + 0.5 * 0.5 * 14 = 3.75, then 2 * 0.25 + 0.5 * 1 * 3.75 = 2.375. Seen failing with
// rho in place of c.
TEST(Vtrace, CutsWeightsOff) {
  const std::vector<float> log_ratios = {std::log(3.0F), 0, std::log(0.5F), 0, std::log(2.0F), 0};
  const auto vtrace = targets(kValues, log_ratios, {.rho = 2, .c = 1});
  EXPECT_FLOAT_EQ(vtrace.values[4], -2 + 14);
  EXPECT_FLOAT_EQ(vtrace.values[2], 0.5F + 3.75F);
  EXPECT_FLOAT_EQ(vtrace.values[0], 1 + 2.375F);
  EXPECT_FLOAT_EQ(vtrace.advantages[4], 2 * (3 + 0.5F * 4 - -2));
  EXPECT_FLOAT_EQ(vtrace.advantages[2], 0.5F * (2 + 0.5F * 12 - 0.5F));
  EXPECT_FLOAT_EQ(vtrace.advantages[0], 2 * (1 + 0.5F * 4.25F - 1));
}

TEST(Vtrace, NothingPassesTheEndOfAnEpisode) {
  const std::vector<float> off = {0, 0.3F, 0, -0.7F, 0, 1};
  auto more = off;
  more[5] = -2;  // the step after the end
  const auto one = targets(kValues, off, {});
  const auto other = targets(kValues, more, {});
  EXPECT_EQ(one.values[3], other.values[3]);
  EXPECT_EQ(one.values[1], other.values[1]);
  EXPECT_NE(one.values[5], other.values[5]);
}

}  // namespace
}  // namespace tandem
