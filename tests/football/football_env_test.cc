// Football's environment: its players, seeds and errors.
#include "football_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/error_of.h"

namespace tandem::football {
namespace {

using testing::HasSubstr;

const std::filesystem::path kData = TANDEM_FOOTBALL_FOLDER;

const Scenario& scenario_of(const std::string& name) {
  static const auto all = read_scenarios(kData / "scenarios.txt");
  return find_scenario(all, name);
}

TEST(FootballEnvironment, RefusesMorePlayersThanTheScenarioHas) {
  const auto error = [](const char* name, std::int64_t players) {
    return error_of([&] { FootballEnv(kData, scenario_of(name), {.players = players}); });
  };
  EXPECT_THAT(error("academy_3_vs_1_with_keeper", 5), HasSubstr("set env.players to 1 to 4"));
  EXPECT_THAT(error("5_vs_5", 5), HasSubstr("set env.players to 1 to 4"));
}

TEST(FootballEnvironment, SaysThatTheEngineIsMissing) {
  EXPECT_THAT(
      error_of([&] { FootballEnv(testing::TempDir(), scenario_of("academy_empty_goal"), {}); }),
      HasSubstr("tandem install football"));
}

TEST(FootballEnvironment, ThreePlayersActAtOnce) {
  FootballEnv env(kData, scenario_of("academy_3_vs_1_with_keeper"),
                  {.rewards = "scoring", .stack = 1, .players = 3});
  EXPECT_EQ(env.spec().agents, 3);
  std::vector<std::byte> frames(env.spec().step_bytes());
  Stream stream(1, 0);
  env.reset(stream, frames);
  const auto bytes = env.spec().frame_bytes();
  // All see the same teams and ball, and each another player of its own.
  const auto plane = bytes / 4;
  const auto of = [&](std::size_t agent, std::size_t first) {
    const auto begin = frames.begin() + static_cast<std::ptrdiff_t>(agent * bytes + first * plane);
    return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(plane));
  };
  EXPECT_EQ(of(0, 0), of(2, 0));
  EXPECT_NE(of(0, 3), of(1, 3));
  EXPECT_NE(of(1, 3), of(2, 3));
  EXPECT_NE(of(0, 3), of(2, 3));
  const std::vector<Action> actions(3, {.discrete = 12});
  const auto result = env.step(actions, stream, frames);
  EXPECT_EQ(result.rewards.size(), 3);
  EXPECT_EQ(result.score, 0.0F);
}

/// The frames after 30 steps of the environment's next two games, which play the same actions.
std::array<std::vector<std::byte>, 2> frames_of_two_games(FootballEnv& env, Stream& stream) {
  std::array<std::vector<std::byte>, 2> games;
  const std::vector<Action> right(1, {.discrete = 5});
  for (auto& frames : games) {
    frames.resize(env.spec().step_bytes());
    env.reset(stream, frames);
    for (int step = 0; step < 30; ++step) (void)env.step(right, stream, frames);
  }
  return games;
}

// Seen failing when the option had no effect, and when a loaded game had lost the seed.
TEST(FootballEnvironment, RepeatsItsFirstSeedIfAsked) {
  const auto& which = scenario_of("academy_counterattack_hard");
  Stream stream(1, 0);
  FootballEnv others(kData, which, {.stack = 1});
  const auto different = frames_of_two_games(others, stream);
  EXPECT_NE(different[0], different[1]);
  FootballEnv same(kData, which, {.stack = 1, .same_seed = true});
  const auto repeated = frames_of_two_games(same, stream);
  EXPECT_EQ(repeated[0], repeated[1]);
  StateWriter writer;
  same.save(writer);
  FootballEnv resumed(kData, which, {.stack = 1, .same_seed = true});
  StateReader reader(writer.bytes());
  resumed.load(reader);
  EXPECT_EQ(frames_of_two_games(resumed, stream)[0], repeated[0]);
}

}  // namespace
}  // namespace tandem::football
