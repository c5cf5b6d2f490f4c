#include "tandem/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace tandem {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers of Random123 1.14 (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Stream, DrawsTheWordsOfSuccessiveCounters) {
  Stream stream(0x1111111122222222, 0x3333333344444444);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const auto words = philox({block, 0, 0x44444444, 0x33333333}, {0x22222222, 0x11111111});
    for (const auto word : words) EXPECT_EQ(stream.bits(), word);
  }
}

TEST(Stream, GoesOnAfterLoadWhereItWasSaved) {
  for (int before = 0; before < 9; ++before) {
    Stream stream(7, 3);
    for (int i = 0; i < before; ++i) stream.bits();
    StateWriter writer;
    stream.save(writer);
    Stream loaded;
    StateReader reader(writer.bytes());
    loaded.load(reader);
    EXPECT_TRUE(reader.at_end());
    for (int i = 0; i < 9; ++i) EXPECT_EQ(loaded.bits(), stream.bits());
  }
}

TEST(Stream, BelowIsUniform) {
  Stream stream(1, 0);
  constexpr int draws = 70000;
  std::vector<int> counts(7);
  for (int i = 0; i < draws; ++i) ++counts.at(stream.below(7));
  double chi2 = 0;
  for (const int count : counts) chi2 += std::pow(count - draws / 7.0, 2) / (draws / 7.0);
  EXPECT_LT(chi2, 22.5);  // 6 degrees of freedom, p = 0.001
}

TEST(Stream, BelowLeavesNoBiasForLargeLimits) {
  // Without rejection every third value would come twice as often as the others: the mean would be
  // the same, but half of the draws would be multiples of three.
  Stream stream(2, 0);
  const std::uint32_t limit = 3u << 30;
  int thirds = 0;
  for (int i = 0; i < 30000; ++i) thirds += stream.below(limit) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(thirds, 10000, 350);
}

TEST(Stream, UniformLiesInTheHalfOpenInterval) {
  Stream stream(3, 0);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const float value = stream.uniform();
    ASSERT_GE(value, 0.0f);
    ASSERT_LT(value, 1.0f);
    sum += value;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
}

TEST(Stream, NormalHasTheMomentsOfANormal) {
  Stream stream(4, 0);
  constexpr int draws = 200000;
  double sum = 0, squares = 0, fourths = 0;
  for (int i = 0; i < draws; ++i) {
    const double value = stream.normal();
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
  }
  EXPECT_NEAR(sum / draws, 0, 0.01);
  EXPECT_NEAR(squares / draws, 1, 0.02);
  EXPECT_NEAR(fourths / draws, 3, 0.15);
}

}  // namespace
}  // namespace tandem
