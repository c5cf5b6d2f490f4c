// The three ways in which an environment whose episode has ended is reset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "tandem/env/builtin.h"
#include "tests/env/scripted_env.h"

namespace tandem {
namespace {

using testing::ElementsAre;

class AutoresetThreads : public testing::TestWithParam<int> {
 protected:
  VecEnv make(Script& script, Autoreset autoreset) const {
    return {scripted(script),
            {.count = 2, .threads = GetParam(), .seed = 3, .autoreset = autoreset}};
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, AutoresetThreads, testing::Values(0, 2));

// Seen failing with a reset that gave the last step's reward again.
TEST_P(AutoresetThreads, TheNextStepResets) {
  Script script;
  auto envs = make(script, Autoreset::next_step);
  Observations seen(2, 3);
  envs.reset(seen.bytes());
  const std::vector<Action> actions(2, {.discrete = 1});
  for (int step = 0; step < 5; ++step) envs.step(actions, seen.bytes());
  EXPECT_TRUE(envs.result(0).terminated);
  EXPECT_THAT(seen.steps(0), ElementsAre(3, 4, 5));
  // Seen failing with zeros.
  EXPECT_TRUE(std::ranges::equal(envs.final_observation(0),
                                 std::span(seen.of(0), envs.spec().observation_bytes())));
  EXPECT_EQ(envs.reward(0), 1);

  envs.step(actions, seen.bytes());
  EXPECT_FALSE(envs.result(0).terminated);
  EXPECT_EQ(envs.reward(0), 0);
  EXPECT_THAT(seen.steps(0), ElementsAre(0, 0, 0));
  EXPECT_THAT(seen.episodes(0), ElementsAre(2, 2, 2));
  envs.step(actions, seen.bytes());
  EXPECT_THAT(seen.steps(0), ElementsAre(0, 0, 1));
}

// Seen failing with the rewards of the step before.
TEST_P(AutoresetThreads, AResetRewardsNoneOfSeveralAgents) {
  const BuiltinOptions two{.size = 10, .players = 2};
  VecEnv envs([two](int) { return make_catch(two); },
              {.count = 1, .threads = GetParam(), .autoreset = Autoreset::next_step});
  std::vector<std::byte> seen(2 * envs.spec().observation_bytes());
  envs.reset(seen);
  const std::vector<Action> actions(2, {.discrete = 1});
  while (!envs.result(0).terminated) envs.step(actions, seen);
  EXPECT_NE(envs.reward(0), 0);
  envs.step(actions, seen);
  for (const int agent : {0, 1}) EXPECT_EQ(envs.reward(agent), 0);
}

TEST_P(AutoresetThreads, TheCallerResets) {
  Script script;
  auto envs = make(script, Autoreset::disabled);
  Observations seen(2, 3);
  envs.reset(seen.bytes());
  const std::vector<Action> actions(2);
  for (int step = 0; step < 5; ++step) envs.step(actions, seen.bytes());
  EXPECT_THAT(seen.steps(1), ElementsAre(3, 4, 5));
  EXPECT_THROW(envs.step(actions, seen.bytes()), Error);

  const std::vector<int> one{1};
  const std::vector<std::byte*> place{seen.of(1)};
  envs.reset(one, place);
  EXPECT_THAT(seen.steps(1), ElementsAre(0, 0, 0));
  EXPECT_THAT(seen.steps(0), ElementsAre(3, 4, 5));
  envs.send(one, std::vector<Action>(1), place);
  envs.receive(1);
  EXPECT_THAT(seen.steps(1), ElementsAre(0, 0, 1));
  EXPECT_THROW(envs.step(actions, seen.bytes()), Error) << "the other one still waits for a reset";
}

// As a lost life ends a training episode. Seen failing when the game began anew with each reset.
TEST_P(AutoresetThreads, AGameOfSeveralEpisodesIsCountedAsAWhole) {
  Script script;
  auto envs = make(script, Autoreset::disabled);
  Observations seen(2, 3);
  const std::vector<Action> actions(2, {.discrete = 1});
  for (int episode = 0; episode < script.episodes_a_game; ++episode) {
    envs.reset(seen.bytes());
    for (int step = 0; step < script.episode; ++step) envs.step(actions, seen.bytes());
  }
  const auto games = envs.take_episodes();
  ASSERT_EQ(games.size(), 2U);
  EXPECT_EQ(games[0].steps, 10);
  EXPECT_EQ(games[0].episode_return, 10);
}

TEST_P(AutoresetThreads, AResetWithinAnEpisodeEndsItsGame) {
  Script script;
  auto envs = make(script, Autoreset::disabled);
  Observations seen(2, 3);
  const std::vector<Action> actions(2, {.discrete = 1});
  envs.reset(seen.bytes());
  envs.step(actions, seen.bytes());
  envs.reset(seen.bytes());
  for (int step = 0; step < script.episode; ++step) envs.step(actions, seen.bytes());
  EXPECT_EQ(envs.take_episodes().at(0).steps, 5);
}

TEST_P(AutoresetThreads, ThePresentObservationCanBeShownAgain) {
  Script script;
  auto envs = make(script, Autoreset::same_step);
  Observations seen(2, 3);
  Observations again(2, 3);
  envs.reset(seen.bytes());
  for (int step = 0; step < 7; ++step) envs.step(std::vector<Action>(2), seen.bytes());
  for (int row = 0; row < 2; ++row) envs.show(row, again.of(row));
  EXPECT_EQ(again.values(), seen.values());
}

TEST(VecEnvSeeds, EachEnvironmentBehavesAsTheFirstOfItsSeed) {
  Script script;
  VecEnv envs(scripted(script), {.count = 2, .seeds = {8, 5}});
  VecEnv alone(scripted(script), {.seed = 5});
  EXPECT_EQ(envs.stream(1).bits(), alone.stream(0).bits());
  EXPECT_NE(envs.stream(0).bits(), alone.stream(0).bits());
  EXPECT_THROW(VecEnv(scripted(script), {.count = 3, .seeds = {1, 2}}), std::logic_error);
}

}  // namespace
}  // namespace tandem
