#include "tandem/base/gamma_distribution.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

TEST(GammaDistribution, IsTheExponentialOneAtShapeOne) {
  for (const double x : {0.01, 0.5, 3.0, 20.0}) {
    EXPECT_NEAR(gamma_cdf(1, 2, x), 1 - std::exp(-2 * x), 1e-13);
  }
  EXPECT_NEAR(gamma_quantile(1, 2, 0.9), std::log(10) / 2, 1e-12);
}

TEST(GammaDistribution, IsASumOfExponentialsAtWholeShapes) {
  const auto of_three = [](double x) { return 1 - std::exp(-x) * (1 + x + x * x / 2); };
  for (const double x : {0.1, 1.0, 3.9, 4.1, 30.0}) {
    EXPECT_NEAR(gamma_cdf(3, 1, x), of_three(x), 1e-13) << x;
  }
}

TEST(GammaDistribution, IsChiSquared) {
  EXPECT_NEAR(gamma_quantile(0.5, 0.5, 0.95), 3.841458820694124, 1e-11);
  EXPECT_NEAR(gamma_quantile(5, 0.5, 0.99), 23.209251158954356, 1e-10);
}

TEST(GammaDistribution, InvertsItself) {
  for (const double shape : {0.3, 1.0, 16.0, 512.0, 20000.0}) {
    for (const double chance : {1e-6, 0.1, 0.5, 0.9375, 0.999999}) {
      const double x = gamma_quantile(shape, 3, chance);
      EXPECT_NEAR(gamma_cdf(shape, 3, x), chance, 1e-11) << shape << ' ' << chance;
    }
  }
  EXPECT_EQ(gamma_quantile(2, 1, 0), 0);
  EXPECT_TRUE(std::isinf(gamma_quantile(2, 1, 1)));
}

}  // namespace
}  // namespace tandem
