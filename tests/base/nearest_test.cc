#include "tandem/base/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem {
namespace {

const std::vector<std::string> kGames = {"Breakout", "Pong", "Qbert", "SpaceInvaders"};

TEST(Nearest, FindsTypingErrors) {
  EXPECT_EQ(nearest("Pnog", kGames), "Pong");
  EXPECT_EQ(nearest("Brekout", kGames), "Breakout");
  EXPECT_EQ(nearest("Breakoutt", kGames), "Breakout");
}

TEST(Nearest, IgnoresCase) { EXPECT_EQ(nearest("spaceinvaders", kGames), "SpaceInvaders"); }

TEST(Nearest, IsEmptyForAWordFarFromAll) {
  EXPECT_EQ(nearest("xyz", kGames), "");
  EXPECT_EQ(nearest("", kGames), "");
  EXPECT_EQ(nearest("Pong", {}), "");
}

TEST(Nearest, TakesTheFirstOfEquals) {
  const std::vector<std::string> words = {"bat", "cat"};
  EXPECT_EQ(nearest("rat", words), "bat");
}

TEST(DidYouMean, OffersTheNearest) {
  EXPECT_EQ(did_you_mean("Pnog", kGames), "; did you mean 'Pong'?");
  EXPECT_EQ(did_you_mean("xyz", kGames), "");
}

}  // namespace
}  // namespace tandem
