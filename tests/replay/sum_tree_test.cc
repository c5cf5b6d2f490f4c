#include "tandem/replay/sum_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tandem/base/random.h"

namespace tandem {
namespace {

/// A reference that adds up all weights.
struct BruteForce {
  std::vector<double> weights;

  [[nodiscard]] double total() const {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  }

  [[nodiscard]] std::size_t find(double mass) const {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (mass < weights[i]) return i;
      mass -= weights[i];
    }
    return weights.size();
  }
};

TEST(SumTree, OneOfEqualWeightsIsFoundByItsShare) {
  SumTree tree(5);
  for (std::size_t i = 0; i < 5; ++i) tree.set(i, 1);
  EXPECT_EQ(tree.total(), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(tree.find(static_cast<double>(i)), i);
    EXPECT_EQ(tree.find(static_cast<double>(i) + 0.999), i);
  }
}

// Whole numbers are added without rounding, so both must agree exactly. Seen failing when set()
// left out the topmost level.
TEST(SumTree, AgreesWithAddingUpInAMillionRandomOperations) {
  Stream stream(1, 0);
  for (const std::size_t places : {1, 7, 8, 9, 64, 65, 300}) {
    SumTree tree(places);
    BruteForce reference{std::vector<double>(places)};
    for (int i = 0; i < 150'000; ++i) {
      const auto place = stream.below(static_cast<std::uint32_t>(places));
      const double weight = stream.below(4) == 0 ? 0 : stream.below(1000);
      tree.set(place, weight);
      reference.weights[place] = weight;
      const double total = tree.total();
      if (i % 64 == 0) {
        ASSERT_EQ(total, reference.total());
      }
      if (total == 0) continue;
      const auto mass = static_cast<double>(stream.below(static_cast<std::uint32_t>(total)));
      if (i % 16 == 0) {
        ASSERT_EQ(tree.find(mass), reference.find(mass));
      }
    }
  }
}

// Weights from 1e-6 to 1e6 are set a million times. Adding the differences would accumulate
// rounding errors. Seen failing when set() added the difference to each node above.
TEST(SumTree, DoesNotDrift) {
  constexpr std::size_t kPlaces = 1000;
  Stream stream(2, 0);
  SumTree tree(kPlaces);
  for (int i = 0; i < 1'000'000; ++i) {
    tree.set(stream.below(kPlaces), std::pow(10.0, 12 * stream.uniform() - 6));
  }
  SumTree fresh(kPlaces);
  for (std::size_t i = 0; i < kPlaces; ++i) fresh.set(i, tree.weight(i));
  EXPECT_EQ(tree.total(), fresh.total());
  for (std::size_t i = 0; i < kPlaces; ++i) tree.set(i, 0);
  EXPECT_EQ(tree.total(), 0);
}

// Seen failing when find() took the last child even if it had no weight.
TEST(SumTree, NeverFindsAPlaceWithoutWeight) {
  Stream stream(3, 0);
  for (int round = 0; round < 200; ++round) {
    SumTree tree(100);
    for (std::size_t i = 0; i < 100; ++i) {
      if (stream.below(5) == 0) tree.set(i, stream.uniform() + 1e-3);
    }
    if (tree.total() == 0) continue;
    for (const double mass : {0.0, tree.total(), std::nextafter(tree.total(), 0.0), 1e300}) {
      EXPECT_GT(tree.weight(tree.find(mass)), 0);
    }
  }
}

TEST(SumTree, KeepsItsWeightsWhenItGrows) {
  SumTree tree(3);
  for (std::size_t i = 0; i < 3; ++i) tree.set(i, static_cast<double>(i + 1));
  tree.grow(1000);
  EXPECT_GE(tree.places(), 1000u);
  EXPECT_EQ(tree.total(), 6);
  tree.set(999, 4);
  EXPECT_EQ(tree.find(6), 999u);
  EXPECT_EQ(tree.find(5), 2u);
}

TEST(SumTree, RefusesWhatIsNoWeight) {
  SumTree tree(2);
  EXPECT_THROW(tree.set(0, -1), std::logic_error);
  EXPECT_THROW(tree.set(0, std::nan("")), std::logic_error);
  EXPECT_THROW(tree.set(0, std::numeric_limits<double>::infinity()), std::logic_error);
  EXPECT_THROW((void)tree.find(0), std::logic_error);
}

}  // namespace
}  // namespace tandem
