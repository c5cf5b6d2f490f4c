#include "tandem/base/streams.h"

#include <gtest/gtest.h>

#include <array>

namespace tandem {
namespace {

using streams::disjoint;
using streams::Range;

// The build itself refuses a list that is not disjoint: seen failing when kRandomActions was 2^41,
// as kSweeps is, and when kExploration reached to the last id.
TEST(Streams, OfTwoPurposesShareNoId) { EXPECT_TRUE(disjoint(streams::kAll)); }

// Seen failing when disjoint() compared the first ids alone.
TEST(Streams, AreSharedByRangesThatOverlap) {
  constexpr Range kTen = {.first = 10, .size = 10};
  EXPECT_TRUE(disjoint(std::array{kTen, Range{.first = 9}, Range{.first = 20}}));
  EXPECT_FALSE(disjoint(std::array{kTen, kTen}));
  EXPECT_FALSE(disjoint(std::array{kTen, Range{.first = 19}}));
  EXPECT_FALSE(disjoint(std::array{Range{.first = 0, .size = 11}, kTen}));
  EXPECT_FALSE(disjoint(std::array{Range{.first = 30}, kTen, Range{.first = 12, .size = 2}}));
}

TEST(Streams, CountFromTheFirstIdOfARange) {
  EXPECT_EQ(streams::kEnvironments.id(), 0);
  EXPECT_EQ(streams::kEmulators.id(3), (std::uint64_t{1} << 40) + 3);
  EXPECT_EQ(streams::kInitialisation.id(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace tandem
