#include "tandem/nn/kernels/scale.h"

#include <gtest/gtest.h>

#include <vector>

namespace tandem {
namespace {

TEST(Scale, MultipliesEachNumber) {
  std::vector<float> numbers = {1, -3, 0, 0.5F};
  scale(0.5F, numbers);
  EXPECT_EQ(numbers, (std::vector<float>{0.5F, -1.5F, 0, 0.25F}));
}

// The product is rounded to the nearest bfloat16, as all its results are. Seen failing when the
// bits were multiplied.
TEST(Scale, RoundsBfloat16) {
  std::vector<Bfloat16> numbers = {to_bfloat16(1), to_bfloat16(-3), to_bfloat16(0)};
  scale(0.7F, numbers);
  const std::vector<Bfloat16> expected = {to_bfloat16(0.7F), to_bfloat16(-2.1F), to_bfloat16(0)};
  EXPECT_EQ(numbers, expected);
}

}  // namespace
}  // namespace tandem
