#include "tandem/env/vec_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>

#include "tandem/env/builtin.h"
#include "tests/env/scripted_env.h"
#include "tests/support/allocations.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::ElementsAre;

class VecEnvThreads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, VecEnvThreads, testing::Values(0, 1, 2, 5));

TEST_P(VecEnvThreads, StacksFramesOldestFirstAndResetsInTheSameStep) {
  Script script;
  VecEnv envs(scripted(script), {.count = 4, .threads = GetParam()});
  Observations seen(4, 3);
  envs.reset(seen.bytes());
  EXPECT_THAT(seen.steps(3), ElementsAre(0, 0, 0));
  const std::vector<Action> actions(4);
  for (int step = 1; step < 5; ++step) {
    envs.step(actions, seen.bytes());
    EXPECT_THAT(seen.steps(3), ElementsAre(std::max(0, step - 2), step - 1, step));
    EXPECT_FALSE(envs.result(3).terminated);
  }
  envs.step(actions, seen.bytes());
  EXPECT_TRUE(envs.result(3).terminated);
  EXPECT_FALSE(envs.result(3).game_over);
  EXPECT_THAT(seen.steps(3), ElementsAre(0, 0, 0));
  EXPECT_THAT(seen.episodes(3), ElementsAre(2, 2, 2));
}

// A run with such rewards ended as if it had reached its return, with a checkpoint that nobody
// could read.
TEST_P(VecEnvThreads, RefusesRewardsThatAreNotFinite) {
  for (const float bonus :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Script script;
    script.bonus = bonus;
    VecEnv envs(scripted(script), {.count = 2, .threads = GetParam()});
    Observations seen(2, 3);
    envs.reset(seen.bytes());
    EXPECT_THAT(error_of([&] { envs.step(std::vector<Action>(2), seen.bytes()); }),
                testing::HasSubstr("must be finite"));
  }
}

TEST_P(VecEnvThreads, KeepsTheFinalObservationOfATruncatedEpisode) {
  Script script;
  script.truncate = true;
  VecEnv envs(scripted(script), {.count = 2, .threads = GetParam()});
  Observations seen(2, 3);
  envs.reset(seen.bytes());
  for (int step = 0; step < 5; ++step) envs.step(std::vector<Action>(2), seen.bytes());
  ASSERT_TRUE(envs.result(1).truncated);
  const auto final_observation = envs.final_observation(1);
  std::array<float, 12> values;
  ASSERT_EQ(final_observation.size(), sizeof(values));
  std::memcpy(values.data(), final_observation.data(), sizeof(values));
  EXPECT_THAT((std::vector{values[2], values[6], values[10]}), ElementsAre(3, 4, 5));
  EXPECT_THAT(seen.steps(1), ElementsAre(0, 0, 0));
}

TEST_P(VecEnvThreads, CountsEpisodesOverTheWholeGame) {
  Script script;
  VecEnv envs(scripted(script), {.first = 10, .count = 3, .threads = GetParam()});
  Observations seen(3, 3);
  envs.reset(seen.bytes());
  const std::vector<Action> actions{{.discrete = 0}, {.discrete = 1}, {.discrete = 2}};
  for (int step = 0; step < 9; ++step) envs.step(actions, seen.bytes());
  EXPECT_TRUE(envs.take_episodes().empty());
  for (int step = 0; step < 11; ++step) envs.step(actions, seen.bytes());
  const auto episodes = envs.take_episodes();
  ASSERT_EQ(episodes.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(episodes[i].env, 10 + i / 2);
    EXPECT_EQ(episodes[i].steps, 10);
    const auto env = i / 2;
    EXPECT_EQ(episodes[i].episode_return, 10.0 * static_cast<double>(env));
  }
  EXPECT_TRUE(envs.take_episodes().empty());
}

// Seen failing with one stream shared by all environments.
TEST_P(VecEnvThreads, GivesTheSameBitsForAnyNumberOfThreads) {
  Script script;
  VecEnv alone(scripted(script), {.count = 7, .threads = 0, .seed = 5});
  VecEnv envs(scripted(script), {.count = 7, .threads = GetParam(), .seed = 5});
  Observations expected(7, 3), seen(7, 3);
  alone.reset(expected.bytes());
  envs.reset(seen.bytes());
  for (int step = 0; step < 200; ++step) {
    alone.step(std::vector<Action>(7), expected.bytes());
    envs.step(std::vector<Action>(7), seen.bytes());
    ASSERT_EQ(seen.values(), expected.values());
  }
}

TEST(VecEnv, PartsOfOneSetUseTheStreamsOfTheirGlobalIndices) {
  Script script;
  VecEnv whole(scripted(script), {.count = 4, .seed = 9});
  VecEnv part(scripted(script), {.first = 2, .count = 2, .seed = 9});
  Observations all(4, 3), some(2, 3);
  whole.reset(all.bytes());
  part.reset(some.bytes());
  EXPECT_TRUE(std::equal(some.values().begin(), some.values().end(), all.values().begin() + 24));
  EXPECT_EQ(whole.stream(3).bits(), part.stream(1).bits());
}

// Seen failing when jobs were reported as done before they were served, and (hanging) when
// Dispatch::done() compared `wanted_` by <=.
TEST_P(VecEnvThreads, ReceivesEveryEnvironmentThatWasSent) {
  Script script;
  constexpr int count = 8;
  Observations seen(count, 3);  // outlives the steps in flight
  VecEnv envs(scripted(script), {.count = count, .threads = GetParam()});
  envs.reset(seen.bytes());
  std::vector<int> steps(count);
  std::vector<int> ids(count);
  for (int id = 0; id < count; ++id) ids[id] = id;
  int sent = 0;
  int received = 0;
  while (received < 4000) {
    std::vector<std::byte*> rows;
    for (const int id : ids) rows.push_back(seen.of(id));
    envs.send(ids, std::vector<Action>(ids.size()), rows);
    sent += static_cast<int>(ids.size());
    const auto ready = envs.receive(1 + received % std::min(3, sent - received));
    ASSERT_EQ(std::set<int>(ready.begin(), ready.end()).size(), ready.size());
    ids.assign(ready.begin(), ready.end());
    received += static_cast<int>(ids.size());
    for (const int id : ids) {
      ++steps[id];
      ASSERT_EQ(seen.steps(id).back(), steps[id] % 5);
    }
  }
}

// Seen failing when the step came to an environment that had never begun.
TEST(VecEnv, AStepBeforeTheFirstResetIsABug) {
  Script script;
  Observations seen(2, 3);
  VecEnv envs(scripted(script), {.count = 2, .threads = 1});
  EXPECT_THROW(envs.step(std::vector<Action>(2), seen.bytes()), std::logic_error);
  envs.reset(seen.bytes());
  EXPECT_NO_THROW(envs.step(std::vector<Action>(2), seen.bytes()));
}

class NeverBegins final : public ScriptedEnv {
 public:
  using ScriptedEnv::ScriptedEnv;
  void reset(Stream& /*stream*/, std::span<std::byte> /*frame*/) override {
    throw Error("no game today");
  }
};

// Seen failing when such a step counted as one before a reset.
TEST(VecEnv, AStepAfterAFailedFirstResetHasItsError) {
  Script script;
  Observations seen(1, 3);
  VecEnv envs([&](int index) { return std::make_unique<NeverBegins>(script, index); },
              {.count = 1, .threads = 1});
  EXPECT_THROW(envs.reset(seen.bytes()), Error);
  EXPECT_THROW(envs.step(std::vector<Action>(1), seen.bytes()), Error);
}

TEST(VecEnv, ReceivesTheFastWithoutTheSlow) {
  Script script;
  script.slow = std::chrono::milliseconds(100);  // times index + 1
  Observations seen(4, 3);                       // outlives the steps in flight
  VecEnv envs(scripted(script), {.count = 4, .threads = 4});
  envs.reset(seen.bytes());
  const std::vector<int> ids{0, 1, 2, 3};
  const std::vector<std::byte*> rows{seen.of(0), seen.of(1), seen.of(2), seen.of(3)};
  envs.send(ids, std::vector<Action>(4), rows);
  EXPECT_TRUE(envs.receive(0).empty());
  EXPECT_LT(envs.receive(1).size(), 4u);
  EXPECT_THROW(envs.receive(4), std::logic_error);
  EXPECT_THROW(envs.step(std::vector<Action>(4), seen.bytes()), std::logic_error);
}

TEST_P(VecEnvThreads, ABugNamesTheEnvironmentToo) {
  Script script;
  script.failing = 1;
  script.buggy = true;
  VecEnv envs(scripted(script), {.count = 3, .threads = GetParam()});
  Observations seen(3, 3);
  envs.reset(seen.bytes());
  try {
    for (int i = 0; i < 3; ++i) envs.step(std::vector<Action>(3), seen.bytes());
    FAIL() << "no error";
  } catch (const std::exception& bug) {
    EXPECT_STREQ(bug.what(), "environment 1: no such cherry");
    EXPECT_EQ(dynamic_cast<const Error*>(&bug), nullptr) << "a bug became the user's error";
  }
}

TEST_P(VecEnvThreads, AnErrorNamesTheEnvironmentAndTheOthersStayUsable) {
  Script script;
  script.failing = 12;
  VecEnv envs(scripted(script), {.first = 10, .count = 4, .threads = GetParam()});
  Observations seen(4, 3);
  envs.reset(seen.bytes());
  const std::vector<Action> actions(4);
  envs.step(actions, seen.bytes());
  envs.step(actions, seen.bytes());
  try {
    envs.step(actions, seen.bytes());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "environment 12: out of cherries");
  }
  EXPECT_THAT(seen.steps(3), ElementsAre(1, 2, 3));
  const std::vector<int> others{0, 1, 3};
  const std::vector<std::byte*> rows{seen.of(0), seen.of(1), seen.of(3)};
  envs.send(others, std::vector<Action>(3), rows);
  EXPECT_EQ(envs.receive(3).size(), 3u);
  EXPECT_THAT(seen.steps(3), ElementsAre(2, 3, 4));

  // When one of two environments fails, the other can still be received.
  const std::vector<int> two{2, 3};
  const std::vector<std::byte*> two_rows{seen.of(2), seen.of(3)};
  envs.send(two, std::vector<Action>(2), two_rows);
  EXPECT_THROW(envs.receive(2), Error);
  EXPECT_THAT(envs.receive(1), ElementsAre(3));

  // A reset repairs the environment until its next failure.
  script.failing = -1;
  envs.reset(seen.bytes());
  envs.step(actions, seen.bytes());
}

TEST_P(VecEnvThreads, AnErrorInConstructionNamesTheEnvironment) {
  Script script;
  const EnvFactory factory = [&](int index) -> std::unique_ptr<Env> {
    if (index >= 5) throw Error("no ROM");
    return std::make_unique<ScriptedEnv>(script, index);
  };
  try {
    VecEnv envs(factory, {.first = 3, .count = 9, .threads = GetParam()});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "environment 5: no ROM");
  }
  EXPECT_EQ(script.made, 0);
}

TEST_P(VecEnvThreads, GoesOnAfterLoadBitByBit) {
  Script script;
  VecEnv envs(scripted(script), {.count = 3, .threads = GetParam(), .seed = 5});
  VecEnv resumed(scripted(script), {.count = 3, .threads = GetParam(), .seed = 6});
  Observations expected(3, 3), seen(3, 3);
  envs.reset(expected.bytes());
  for (int step = 0; step < 13; ++step) envs.step(std::vector<Action>(3), expected.bytes());
  StateWriter writer;
  envs.save(writer);
  StateReader reader(writer.bytes());
  EXPECT_TRUE(resumed.load(reader, seen.bytes()));
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(seen.values(), expected.values());
  for (int step = 0; step < 30; ++step) {
    envs.step(std::vector<Action>(3), expected.bytes());
    resumed.step(std::vector<Action>(3), seen.bytes());
    ASSERT_EQ(seen.values(), expected.values());
  }
  const auto games = envs.take_episodes();
  const auto resumed_games = resumed.take_episodes();
  ASSERT_EQ(games.size(), 12u);
  ASSERT_EQ(resumed_games.size(), 12u);  // also those finished before the save
  for (int i = 0; i < 12; ++i) EXPECT_EQ(games[i].steps, resumed_games[i].steps);
}

TEST(VecEnv, RefusesTheStateOfAnotherNumberOfEnvironmentsAndADamagedOne) {
  Script script;
  VecEnv two(scripted(script), {.count = 2});
  VecEnv three(scripted(script), {.count = 3});
  Observations seen(3, 3);
  two.reset(seen.bytes());
  StateWriter writer;
  two.save(writer);
  StateReader other(writer.bytes());
  EXPECT_THROW((void)three.load(other, seen.bytes()), Error);
  StateReader damaged(std::span(writer.bytes()).first(writer.bytes().size() - 1));
  EXPECT_THROW((void)two.load(damaged, seen.bytes()), Error);
}

// Two players, three frames each. Seen failing with the frames of the agents exchanged, with the
// oldest frame in the place of the newest, and with the return of the captured game kept.
TEST(VecEnv, AGameGoesOnFromACapturedState) {
  BuiltinOptions options;
  options.stack = 3;
  options.players = 2;
  const EnvFactory make_env = [&](int) { return make_catch(options); };
  VecEnv envs(make_env, {.count = 3, .seed = 1});
  VecEnv others(make_env, {.count = 3, .seed = 2});
  const auto bytes = envs.spec().observation_bytes() * 2;  // of the players of one environment
  std::vector<std::byte> seen(3 * bytes);
  std::vector<std::byte> seen_by_others(3 * bytes);
  envs.reset(seen);
  others.reset(seen_by_others);
  const std::vector<Action> moves = {{0}, {2}, {1}, {0}, {0}, {2}};  // of 2 and 0: the same
  for (int step = 0; step < 4; ++step) envs.step(moves, seen);
  for (int step = 0; step < 7; ++step) others.step(moves, seen_by_others);
  const auto start = envs.capture(2);
  EXPECT_EQ(start.steps, 4);
  others.begin_at(0, start, seen_by_others.data());
  const auto same = [&] {
    return std::ranges::equal(std::span(seen).subspan(2 * bytes, bytes),
                              std::span(seen_by_others).first(bytes));
  };
  EXPECT_TRUE(same());
  for (int step = 0; step < 4; ++step) {
    envs.step(moves, seen);
    others.step(moves, seen_by_others);
    EXPECT_TRUE(same()) << step;
  }
  envs.step(moves, seen);
  others.step(moves, seen_by_others);
  EXPECT_EQ(envs.reward(4), others.reward(0));
  EXPECT_EQ(envs.reward(5), others.reward(1));
  EXPECT_EQ(envs.take_episodes().back().steps, 9);
  const auto episodes = others.take_episodes();
  EXPECT_EQ(episodes.front().env, 0);
  EXPECT_EQ(episodes.front().steps, 5);
}

// Seen failing (crashing under AddressSanitizer) with the crew declared before the dispatch.
TEST(VecEnv, EndsCleanlyWhileEnvironmentsStep) {
  for (int round = 0; round < 20; ++round) {
    Script script;
    script.slow = std::chrono::microseconds(300);
    Observations seen(6, 3);
    {
      VecEnv envs(scripted(script), {.count = 6, .threads = 3});
      envs.reset(seen.bytes());
      const std::vector<int> ids{0, 1, 2, 3, 4, 5};
      std::vector<std::byte*> rows;
      for (const int id : ids) rows.push_back(seen.of(id));
      envs.send(ids, std::vector<Action>(6), rows);
      if (round % 2 == 1) envs.receive(1);
    }
    EXPECT_EQ(script.made, 0);
  }
}

TEST(VecEnv, RefusesToSendToAnEnvironmentThatIsStepping) {
  Script script;
  VecEnv envs(scripted(script), {.count = 2, .threads = 1});
  Observations seen(2, 3);
  envs.reset(seen.bytes());
  const std::vector<int> twice{1, 1};
  const std::vector<std::byte*> rows{seen.of(1), seen.of(1)};
  EXPECT_THROW(envs.send(twice, std::vector<Action>(2), rows), std::logic_error);
  // Seen failing with the first of them in flight from then on.
  EXPECT_FALSE(envs.in_flight(1));
  envs.step(std::vector<Action>(2), seen.bytes());
}

// Seen failing with ids copied into a vector at each send.
TEST_P(VecEnvThreads, StepsWithoutAllocating) {
  Script script;
  VecEnv envs(scripted(script), {.count = 8, .threads = GetParam()});
  Observations seen(8, 3);
  envs.reset(seen.bytes());
  const std::vector<Action> actions(8);
  std::vector<int> ids{1, 2, 3};
  const std::vector<std::byte*> rows{seen.of(1), seen.of(2), seen.of(3)};
  const AllocationCount allocations;
  for (int step = 0; step < 100; ++step) {
    envs.step(actions, seen.bytes());
    envs.send(ids, std::span(actions).first(3), rows);
    envs.receive(3);
  }
  EXPECT_EQ(allocations.so_far(), 0);
}

}  // namespace
}  // namespace tandem
