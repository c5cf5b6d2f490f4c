#include "tandem/base/large_pages.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tandem {
namespace {

using Floats = std::vector<float, LargePages<float>>;

std::uintptr_t address(const Floats& floats) {
  return reinterpret_cast<std::uintptr_t>(floats.data());
}

TEST(LargePagesTest, BeginAtACacheLine) {
  const Floats floats(5, 1.5F);
  EXPECT_EQ(address(floats) % 64, 0U);
  EXPECT_EQ(floats.back(), 1.5F);
}

TEST(LargePagesTest, BeginAtALargePageIfTheyFillOne) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const Floats floats(kLargePage / sizeof(float), 1.5F);
  EXPECT_EQ(address(floats) % kLargePage, 0U);
  EXPECT_EQ(floats.back(), 1.5F);
}

TEST(LargePagesTest, VectorsMoveAndCopyTheirFloats) {
  Floats floats(5, 1.5F);
  const float* const data = floats.data();
  const Floats moved = std::move(floats);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(Floats(moved), moved);
}

}  // namespace
}  // namespace tandem
