// The building block of the suite's rewards, against values computed by hand.
#include "tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace tandem::mujoco {
namespace {

constexpr double kTiny = 1e-12;

TEST(Tolerance, IsOneWithinTheBoundsEndsIncluded) {
  const Wanted wanted{.lower = -1, .upper = 2, .margin = 1};
  for (const double x : {-1.0, 0.0, 2.0}) EXPECT_EQ(tolerance(x, wanted), 1);
  EXPECT_LT(tolerance(std::nextafter(2, 3), wanted), 1 + kTiny);
  EXPECT_LT(tolerance(2.1, wanted), 1);
}

TEST(Tolerance, WithoutAMarginIsNothingElsewhere) {
  const Wanted wanted{.lower = -1, .upper = 2};
  EXPECT_EQ(tolerance(2.0001, wanted), 0);
  EXPECT_EQ(tolerance(-1.0001, wanted), 0);
}

TEST(Tolerance, AnOpenBoundIsNeverPassed) {
  const Wanted wanted{.lower = 3, .upper = kInfinity, .margin = 1};
  EXPECT_EQ(tolerance(1e300, wanted), 1);
  EXPECT_LT(tolerance(2, wanted), 1);
}

struct SigmoidCase {
  Sigmoid sigmoid;
  double at_half;   // half the margin away, where the value at the margin is 0.1
  double at_twice;  // twice the margin away
};

class TolerancePerSigmoid : public testing::TestWithParam<SigmoidCase> {};

// Seen failing with the distance not divided by the margin.
TEST_P(TolerancePerSigmoid, FallsOffAlikeOnBothSides) {
  const auto& expected = GetParam();
  const Wanted wanted{.lower = 1, .upper = 3, .margin = 4, .sigmoid = expected.sigmoid};
  EXPECT_NEAR(tolerance(3 + 2, wanted), expected.at_half, 1e-9);
  EXPECT_NEAR(tolerance(1 - 2, wanted), expected.at_half, 1e-9);
  EXPECT_NEAR(tolerance(3 + 4, wanted), 0.1, kTiny);
  EXPECT_NEAR(tolerance(1 - 4, wanted), 0.1, kTiny);
  EXPECT_NEAR(tolerance(3 + 8, wanted), expected.at_twice, 1e-9);
  EXPECT_NEAR(tolerance(1 - 8, wanted), expected.at_twice, 1e-9);
}

// The values come, in this order, from 0.1^(1/4) and 0.1^4; the hyperbolic cosine's double-angle
// formula; 1 / (9 x^2 + 1); 1 / (9 |x| + 1); the cosine's half-angle formula; 1 - 0.9 x; 1 - 0.9
// x^2; and with t = sqrt(0.9), the tangents of half and twice the angle: t / (1 + sqrt(1 - t^2))
// and 2 t / (1 + t^2).
const double kTangent = std::sqrt(0.9);
const double kHalfTangent = kTangent / (1 + std::sqrt(0.1));
const double kTwiceTangent = 2 * kTangent / 1.9;
INSTANTIATE_TEST_SUITE_P(
    All, TolerancePerSigmoid,
    testing::Values(SigmoidCase{Sigmoid::gaussian, std::pow(0.1, 0.25), 1e-4},
                    SigmoidCase{Sigmoid::hyperbolic, 1 / std::sqrt(5.5), 1 / 199.0},
                    SigmoidCase{Sigmoid::long_tail, 1 / 3.25, 1 / 37.0},
                    SigmoidCase{Sigmoid::reciprocal, 1 / 5.5, 1 / 19.0},
                    SigmoidCase{Sigmoid::cosine, (1 + std::sqrt(0.1)) / 2, 0},
                    SigmoidCase{Sigmoid::linear, 0.55, 0},
                    SigmoidCase{Sigmoid::quadratic, 0.775, 0},
                    SigmoidCase{Sigmoid::tanh_squared, 1 - kHalfTangent* kHalfTangent,
                                1 - kTwiceTangent* kTwiceTangent}));

TEST(Tolerance, SomeSigmoidsMayEndAtTheMargin) {
  for (const auto sigmoid : {Sigmoid::cosine, Sigmoid::linear, Sigmoid::quadratic}) {
    const Wanted wanted{.margin = 2, .sigmoid = sigmoid, .value_at_margin = 0};
    EXPECT_NEAR(tolerance(2, wanted), 0, kTiny);
    EXPECT_EQ(tolerance(2.5, wanted), 0);
    EXPECT_GT(tolerance(1.9, wanted), 0);
  }
}

TEST(Tolerance, RefusesWhatMakesNoSense) {
  EXPECT_THROW(tolerance(0, {.lower = 1, .upper = 0}), std::invalid_argument);
  EXPECT_THROW(tolerance(0, {.margin = -1}), std::invalid_argument);
  EXPECT_THROW(tolerance(0, {.margin = 1, .value_at_margin = 1}), std::invalid_argument);
  EXPECT_THROW(tolerance(0, {.margin = 1, .value_at_margin = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace tandem::mujoco
