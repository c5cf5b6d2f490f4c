#include "tandem/cluster/draw_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "tandem/base/random.h"

namespace tandem {
namespace {

using testing::ElementsAre;

TEST(DivideBatch, OneShardDrawsAll) {
  const std::array masses = {3.5};
  for (const double share : {0.0, 0.3, 0.999})
    EXPECT_THAT(divide_batch(masses, 64, share), ElementsAre(64));
}

TEST(DivideBatch, AnEmptyShardDrawsNothing) {
  EXPECT_THAT(divide_batch(std::array{0.0, 2.0, 0.0}, 8, 0.9), ElementsAre(0, 8, 0));
  EXPECT_THAT(divide_batch(std::array{0.0, 0.0}, 8, 0.5), ElementsAre(0, 0));
  EXPECT_THAT(divide_batch(std::vector<double>{}, 8, 0.5), ElementsAre());
}

// Seen failing with each shard's part rounded down, and the rest given to the last shard.
TEST(DivideBatch, EachShardsMeanIsItsExactPart) {
  const std::array masses = {0.1, 1.0, 2.45, 0.0, 0.3};
  const double all = std::accumulate(masses.begin(), masses.end(), 0.0);
  constexpr int kSamples = 7;
  constexpr int kDraws = 20'000;
  std::array<double, 5> sums{};
  Stream stream(1, 1);
  for (int i = 0; i < kDraws; ++i) {
    const auto counts = divide_batch(masses, kSamples, static_cast<double>(stream.uniform()));
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), kSamples);
    for (std::size_t s = 0; s < masses.size(); ++s) {
      const double exact = kSamples * masses[s] / all;
      EXPECT_LT(std::abs(counts[s] - exact), 1);
      sums[s] += counts[s];
    }
  }
  for (std::size_t s = 0; s < masses.size(); ++s) {
    EXPECT_NEAR(sums[s] / kDraws, kSamples * masses[s] / all, 0.02) << s;
  }
}

}  // namespace
}  // namespace tandem
