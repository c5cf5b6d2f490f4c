#include "tandem/nn/kernels/activation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tandem {
namespace {

constexpr std::array kOutputs = {-0.5F, 0.0F, 0.25F, 0.875F};  // exact in bfloat16, too
constexpr std::array kGradients = {2.0F, -4.0F, 8.0F, -16.0F};

TEST(Activation, IsAppliedInPlace) {
  std::array x = {-2.0F, 0.0F, 0.5F};
  activate(Activation::none, x);
  EXPECT_EQ(x, (std::array{-2.0F, 0.0F, 0.5F}));
  activate(Activation::tanh, x);
  EXPECT_NEAR(x[0], std::tanh(-2.0), 1e-6);
  EXPECT_NEAR(x[2], std::tanh(0.5), 1e-6);
  activate(Activation::relu, x);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[1], 0);
}

/// The slope of an activation whose output is y: 0 or 1 for a ReLU, 1 - y^2 for a tanh.
float slope(Activation activation, float y) {
  if (activation == Activation::none) return 1;
  return activation == Activation::relu ? static_cast<float>(y > 0) : 1 - y * y;
}

class ActivationBackward : public testing::TestWithParam<Activation> {};

TEST_P(ActivationBackward, IsTheSlopeTimesTheGradientBehind) {
  std::array<float, 4> out{};
  activation_backward(GetParam(), 4, kOutputs.data(), kGradients.data(), out.data());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], slope(GetParam(), kOutputs[i]) * kGradients[i]);
  auto in_place = kGradients;
  activation_backward(GetParam(), 4, kOutputs.data(), in_place.data(), in_place.data());
  EXPECT_EQ(in_place, out);
}

TEST_P(ActivationBackward, IsRoundedWhereItIsToBe) {
  std::array<Bfloat16, 4> y{}, d{}, out{};
  for (int i = 0; i < 4; ++i) {
    y[i] = to_bfloat16(kOutputs[i]);
    d[i] = to_bfloat16(kGradients[i]);
    EXPECT_EQ(from_bfloat16(y[i]), kOutputs[i]);
  }
  activation_backward(GetParam(), 4, y.data(), d.data(), out.data());
  std::array<Bfloat16, 4> of_floats{};
  activation_backward(GetParam(), 4, kOutputs.data(), kGradients.data(), of_floats.data());
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(from_bfloat16(out[i]), slope(GetParam(), kOutputs[i]) * kGradients[i]);
    EXPECT_EQ(of_floats[i], out[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ActivationBackward,
                         testing::Values(Activation::none, Activation::relu, Activation::tanh));

}  // namespace
}  // namespace tandem
