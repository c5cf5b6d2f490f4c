#include "tandem/trainer/whole_games.h"

#include <gtest/gtest.h>

#include <string>

#include "tandem/run/evaluation.h"
#include "tandem/trainer/config.h"

namespace tandem {
namespace {

TEST(WholeGames, AreEndlessOnlyWhereTheConfigHasNoLimit) {
  const auto most = [](const std::string& max_steps) {
    const auto config = load_config(
        "paac", {{"env.id", "cartpole", "--env"}, {"env.max_steps", max_steps, "--set"}});
    return most_game_steps(config.env);
  };
  EXPECT_EQ(most("0"), kMostGameSteps);
  EXPECT_EQ(most("1M"), 0);
}

TEST(WholeGames, OfGymnasiumMayHaveALimitAmongTheirArguments) {
  const auto most = [](const std::string& kwargs) {
    const auto config =
        load_config("paac", {{"env.id", "gym:Long-v0", "--env"}, {"env.kwargs", kwargs, "--set"}});
    return most_game_steps(config.env);
  };
  EXPECT_EQ(most(R"({"gravity": -5, "max_episode_steps": 400000})"), 0);
  for (const auto* kwargs : {"", "{}", R"({"max_episode_steps": null})",
                             R"({"max_episode_steps": -1})", R"({"max_episode_steps": 0})"}) {
    EXPECT_EQ(most(kwargs), kMostGameSteps) << kwargs;
  }
}

}  // namespace
}  // namespace tandem
