#include "tandem/algo/gaussian.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace tandem {
namespace {

TEST(Gaussian, SamplesHaveTheMeanAndTheVarianceOfTheOutputs) {
  const std::vector<float> outputs{0.5f, -2, 1.3f};
  const double variance = std::log1p(std::exp(1.3)) + gaussian::kLeastVariance;
  EXPECT_NEAR(gaussian::variance(outputs), variance, 1e-6);
  constexpr int kDraws = 200'000;
  Stream stream(1, 2);
  std::array<double, 2> sums{};
  std::array<double, 2> squares{};
  for (int i = 0; i < kDraws; ++i) {
    std::vector<float> action(2);
    gaussian::sample(outputs, stream, action);
    for (std::size_t j = 0; j < 2; ++j) {
      sums[j] += action[j];
      squares[j] += std::pow(action[j] - outputs[j], 2);
    }
  }
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(sums[j] / kDraws, outputs[j], 4 * std::sqrt(variance / kDraws));
    EXPECT_NEAR(squares[j] / kDraws, variance, 4 * variance * std::sqrt(2.0 / kDraws));
  }
}

// With the paper's variance of zero, the density would be infinite.
TEST(Gaussian, StaysFiniteForAnyFiniteOutputs) {
  for (const float output : {-1e30f, -200.0f, 0.0f, 200.0f, 1e30f}) {
    const std::vector<float> outputs{1, output};
    const std::vector<float> action{1.001f};
    std::vector<float> gradient(2);
    const auto terms = gaussian::differentiate(outputs, action, 1, 0.1f, 1, gradient);
    EXPECT_GE(gaussian::variance(outputs), gaussian::kLeastVariance);
    EXPECT_TRUE(std::isfinite(terms.log_probability)) << output;
    EXPECT_TRUE(std::isfinite(terms.entropy)) << output;
    EXPECT_TRUE(std::isfinite(gradient[0])) << output;
    EXPECT_TRUE(std::isfinite(gradient[1])) << output;
  }
}

TEST(Gaussian, NanIsNotHidden) {
  const std::vector<float> outputs{1, std::nanf("")};
  EXPECT_TRUE(std::isnan(gaussian::variance(outputs)));
}

}  // namespace
}  // namespace tandem
