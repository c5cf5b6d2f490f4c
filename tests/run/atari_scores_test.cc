#include "tandem/run/atari_scores.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem {
namespace {

TEST(AtariScores, HoldFiftySevenGamesInOrder) {
  const auto all = atari_scores();
  EXPECT_EQ(all.size(), 57U);
  const auto out_of_order = [](const AtariScores& a, const AtariScores& b) {
    return a.game >= b.game;
  };
  EXPECT_EQ(std::ranges::adjacent_find(all, out_of_order), all.end());
}

TEST(AtariScores, PeopleBeatRandomPlay) {
  for (const auto& scores : atari_scores()) EXPECT_GT(scores.human, scores.random) << scores.game;
}

TEST(AtariScores, AreFoundByEitherSpelling) {
  EXPECT_EQ(find_atari_scores("atari:Pong")->human, 14.6);
  EXPECT_EQ(find_atari_scores("atari:space_invaders")->random, 148.0);
  EXPECT_FALSE(find_atari_scores("cartpole"));
}

// Seen failing when the name after the colon was enough.
TEST(AtariScores, GamesOfOtherFamiliesHaveNone) {
  EXPECT_FALSE(find_atari_scores("gym:breakout"));
  EXPECT_FALSE(find_atari_scores("Breakout"));
}

TEST(AtariScores, NormaliseByRandomAndHumanPlay) {
  const auto breakout = find_atari_scores("atari:Breakout").value();
  EXPECT_DOUBLE_EQ(human_normalised(breakout, 1.7), 0);
  EXPECT_DOUBLE_EQ(human_normalised(breakout, 30.5), 1);
  EXPECT_NEAR(human_normalised(breakout, 347.06), 11.992, 0.001);  // 345.36 / 28.8
  EXPECT_NEAR(human_normalised(*find_atari_scores("atari:Pong"), 20), 1.153, 0.001);  // 40.7 / 35.3
}

}  // namespace
}  // namespace tandem
