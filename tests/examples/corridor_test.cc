// The example of docs/add_an_environment.md, loaded as a user's plug-in is.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tandem/base/error.h"
#include "tandem/env/family.h"
#include "tandem/env/vec_env.h"
#include "tests/conformance/env_conformance.h"

namespace tandem {
namespace {

const int kPluginPath = setenv("TANDEM_PLUGIN_PATH", TANDEM_BINARY_DIR "/examples", 1);

INSTANTIATE_TEST_SUITE_P(Corridor, EnvConformance,
                         testing::Values(EnvCase{"corridor:short"}, EnvCase{"corridor:long"},
                                         EnvCase{"corridor:short", {{"slip", "0.5"}}}),
                         case_name);

class CorridorTest : public testing::Test {
 protected:
  /// Walks right all the time, in two environments at once.
  std::vector<Episode> walk_right(int steps) {
    VecEnv envs([&](int) { return family_->make("short", 0); }, {.count = 2, .seed = 1});
    std::vector<std::byte> observations(2 * envs.spec().observation_bytes());
    envs.reset(observations);
    const std::vector<Action> right(2, Action{.discrete = 1});
    for (int t = 0; t < steps; ++t) envs.step(right, observations);
    return envs.take_episodes();
  }

  std::unique_ptr<EnvFamily> family_ = find_family("corridor:short");
};

TEST_F(CorridorTest, WhoeverWalksRightArrives) {
  const auto episodes = walk_right(200);
  ASSERT_FALSE(episodes.empty());
  for (const auto& episode : episodes) {
    EXPECT_EQ(episode.episode_return, 1);
    EXPECT_LE(episode.steps, 24);
  }
}

TEST_F(CorridorTest, WhoeverSlipsAlwaysRunsOutOfTime) {
  for (const auto& field : family_->fields()) *std::get<double*>(field.target) = 1;
  const auto episodes = walk_right(48);
  ASSERT_EQ(episodes.size(), 4);
  for (const auto& episode : episodes) {
    EXPECT_EQ(episode.episode_return, 0);
    EXPECT_EQ(episode.steps, 24);
  }
}

TEST_F(CorridorTest, UnknownNameOffersTheKnownOnes) {
  try {
    (void)family_->make("endless", 0);
    FAIL() << "made an unknown corridor";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("short or long"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tandem
