#include "tandem/base/histogram.h"

#include <gtest/gtest.h>

#include <limits>

namespace tandem {
namespace {

TEST(Histogram, QuantilesAreWithinFivePercent) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add(1e-3 * i);
  EXPECT_NEAR(histogram.quantile(0.5), 0.5, 0.025);
  EXPECT_NEAR(histogram.quantile(0.99), 0.99, 0.05);
  EXPECT_NEAR(histogram.quantile(1), 1, 0.05);
  EXPECT_NEAR(histogram.quantile(0), 1e-3, 5e-5);
}

TEST(Histogram, CountsAsManyAsItIsTold) {
  Histogram histogram;
  histogram.add(2, 99);
  histogram.add(500);
  EXPECT_NEAR(histogram.quantile(0.99), 2, 0.1);
  EXPECT_NEAR(histogram.quantile(0.995), 500, 25);
}

TEST(Histogram, AddsUp) {
  Histogram low, high;
  low.add(1, 60);
  high.add(100, 40);
  low += high;
  EXPECT_NEAR(low.quantile(0.5), 1, 0.05);
  EXPECT_NEAR(low.quantile(0.7), 100, 5);
}

TEST(Histogram, TakesWhatIsBeyondItsEndsAndNothingAtAll) {
  Histogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0);
  histogram.add(0);
  histogram.add(1e9);
  EXPECT_LT(histogram.quantile(0.5), 2e-6);
  EXPECT_GT(histogram.quantile(1), 900);
}

// UBSan has seen the place of NaN outside of the buckets.
TEST(Histogram, CountsWhatHasNoLogarithmAsItsLeast) {
  Histogram histogram;
  histogram.add(-1);
  histogram.add(std::numeric_limits<double>::quiet_NaN());
  EXPECT_LT(histogram.quantile(1), 2e-6);
}

}  // namespace
}  // namespace tandem
