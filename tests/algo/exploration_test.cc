#include "tandem/algo/exploration.h"

#include <gtest/gtest.h>

#include <map>

namespace tandem {
namespace {

TEST(Exploration, FinalEpsilonsAreDrawnAsInThePaper) {
  const Exploration exploration({}, 3, 4);
  std::map<double, int> seen;
  constexpr int kEnvs = 10'000;
  for (int env = 0; env < kEnvs; ++env) ++seen[exploration.final_epsilon(env, 0)];
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_NEAR(seen[0.1], 0.4 * kEnvs, 200);
  EXPECT_NEAR(seen[0.01], 0.3 * kEnvs, 200);
  EXPECT_NEAR(seen[0.5], 0.3 * kEnvs, 200);
}

// Seen failing when the draw did not depend on the episode.
TEST(Exploration, OneEnvironmentDrawsAnewInEachEpisode) {
  const Exploration exploration({}, 3, 4);
  std::map<double, int> seen;
  constexpr int kEpisodes = 10'000;
  for (int episode = 0; episode < kEpisodes; ++episode) {
    ++seen[exploration.final_epsilon(5, episode)];
  }
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_NEAR(seen[0.1], 0.4 * kEpisodes, 200);
  EXPECT_NEAR(seen[0.01], 0.3 * kEpisodes, 200);
  EXPECT_NEAR(seen[0.5], 0.3 * kEpisodes, 200);
}

TEST(Exploration, DependsOnSeedEnvironmentAndEpisodeAlone) {
  const Exploration one({}, 3, 4);
  const Exploration same({}, 3, 4);
  const Exploration other({}, 4, 4);
  int different = 0;
  for (int env = 0; env < 100; ++env) {
    EXPECT_EQ(one.final_epsilon(env, env), same.final_epsilon(env, env));
    different += one.final_epsilon(env, 0) != other.final_epsilon(env, 0) ? 1 : 0;
  }
  EXPECT_GT(different, 30);
}

TEST(Exploration, IsAnnealedOverFramesOfAllEnvironments) {
  const Exploration exploration({.epsilon_1 = 0.2, .share_2 = 0, .share_3 = 0}, 1, 4);
  EXPECT_EQ(exploration.epsilon(5, 0, 0), 1);
  EXPECT_FLOAT_EQ(exploration.epsilon(5, 7, 500'000), 0.6f);  // 2 of 4 million frames
  EXPECT_FLOAT_EQ(exploration.epsilon(5, 7, 1'000'000), 0.2f);
  EXPECT_FLOAT_EQ(exploration.epsilon(5, 8, 50'000'000), 0.2f);
}

TEST(Exploration, WithoutAnnealingIsFinalAtOnce) {
  const Exploration exploration({.epsilon_frames = 0, .epsilon_2 = 0.3, .share_1 = 0, .share_3 = 0},
                                1, 4);
  EXPECT_FLOAT_EQ(exploration.epsilon(0, 0, 0), 0.3f);
}

}  // namespace
}  // namespace tandem
