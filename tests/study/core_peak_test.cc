#include "tandem/study/core_peak.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// A core that begins one product of one number a second, or more than any CPU can, would be a
// mistake of counting or of the clock.
TEST(CorePeak, IsThatOfACpu) {
  for (const auto precision : {Precision::fp32, Precision::bf16}) {
    const double peak = measure_core_peak(precision, 1, 0.05);
    EXPECT_GT(peak, 1e8);
    EXPECT_LT(peak, 2e12);
  }
}

}  // namespace
}  // namespace tandem
