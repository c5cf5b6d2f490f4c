// Environments with several agents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>

#include "tandem/env/builtin.h"
#include "tandem/env/vec_env.h"

namespace tandem {
namespace {

using testing::ElementsAre;

constexpr int kAgents = 2;

// A frame is {environment, agent, step}; an agent's reward is its action. Episodes last three
// steps.
class Pair : public Env {
 public:
  explicit Pair(int index) : index_(index) {
    spec_ = {.frame_shape = {3}, .stack = 2, .num_actions = 5, .agents = kAgents};
  }

  const EnvSpec& spec() const override { return spec_; }

  void reset(Stream&, std::span<std::byte> frames) override {
    step_ = 0;
    write(frames);
  }

  StepResult step(std::span<const Action> actions, Stream&, std::span<std::byte> frames) override {
    ++step_;
    write(frames);
    for (int agent = 0; agent < kAgents; ++agent) {
      rewards_[agent] = static_cast<float>(actions[agent].discrete);
    }
    return {.terminated = step_ == 3, .game_over = step_ == 3, .rewards = rewards_};
  }

  void save(StateWriter& writer) const override { writer.put(step_); }
  void load(StateReader& reader) override { step_ = reader.get<int>(); }

 private:
  void write(std::span<std::byte> frames) const {
    for (int agent = 0; agent < kAgents; ++agent) {
      const std::array<float, 3> values{static_cast<float>(index_), static_cast<float>(agent),
                                        static_cast<float>(step_)};
      std::memcpy(&frames[agent * sizeof(values)], values.data(), sizeof(values));
    }
  }

  int index_;
  EnvSpec spec_;
  int step_ = 0;
  std::array<float, kAgents> rewards_{};
};

class Rows {
 public:
  explicit Rows(int rows) : values_(static_cast<std::size_t>(rows) * 6) {}
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(values_)); }
  std::vector<float> of(int row) const {
    return {values_.begin() + row * 6, values_.begin() + (row + 1) * 6};
  }
  const std::vector<float>& values() const { return values_; }

 private:
  std::vector<float> values_;
};

VecEnv pairs(int threads = 0) {
  return {[](int index) { return std::make_unique<Pair>(index); },
          {.first = 4, .count = 3, .threads = threads, .seed = 1}};
}

class Agents : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Agents, testing::Values(0, 2));

// A step that scores 10 whatever its rewards are.
class Scored : public Pair {
 public:
  using Pair::Pair;
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frames) override {
    auto result = Pair::step(actions, stream, frames);
    result.score = 10;
    return result;
  }
};

TEST(Scores, AreCountedInPlaceOfRewards) {
  VecEnv env([](int index) { return std::make_unique<Scored>(index); }, {.count = 1, .seed = 1});
  Rows rows(kAgents);
  env.reset(rows.bytes());
  std::vector<Action> actions(kAgents, {.discrete = 2});
  for (int step = 0; step < 3; ++step) env.step(actions, rows.bytes());
  EXPECT_EQ(env.reward(0), 2);
  EXPECT_EQ(env.take_episodes().at(0).episode_return, 30);
}

// Seen failing with stacked frames of both agents in the first one's observation.
TEST_P(Agents, EachHasARow) {
  auto envs = pairs(GetParam());
  EXPECT_EQ(envs.envs(), 3);
  EXPECT_EQ(envs.size(), 6);
  EXPECT_EQ(envs.index(3), 11);  // the second agent of environment 5
  Rows seen(6);
  envs.reset(seen.bytes());
  EXPECT_THAT(seen.of(3), ElementsAre(5, 1, 0, 5, 1, 0));
  std::vector<Action> actions(6);
  for (int row = 0; row < 6; ++row) actions[row].discrete = row % 5;
  envs.step(actions, seen.bytes());
  envs.step(actions, seen.bytes());
  EXPECT_THAT(seen.of(2), ElementsAre(5, 0, 1, 5, 0, 2));
  EXPECT_THAT(seen.of(3), ElementsAre(5, 1, 1, 5, 1, 2));
  EXPECT_EQ(envs.reward(2), 2);
  EXPECT_EQ(envs.reward(3), 3);
  EXPECT_EQ(envs.result(3).reward, 2.5F);

  envs.step(actions, seen.bytes());
  EXPECT_TRUE(envs.result(2).terminated);
  EXPECT_TRUE(envs.result(3).terminated);
  EXPECT_THAT(seen.of(3), ElementsAre(5, 1, 0, 5, 1, 0));
  std::array<float, 6> last;
  std::memcpy(last.data(), envs.final_observation(3).data(), sizeof(last));
  EXPECT_THAT(last, ElementsAre(5, 1, 2, 5, 1, 3));
  const auto games = envs.take_episodes();
  ASSERT_EQ(games.size(), 3u);
  EXPECT_EQ(games[1].env, 5);
  EXPECT_EQ(games[1].episode_return, 7.5);  // the mean of 3 * 2 and 3 * 3
  EXPECT_EQ(games[1].steps, 3);
}

TEST(Agents, DrawFromStreamsOfTheirOwn) {
  auto envs = pairs();
  std::vector<std::uint32_t> drawn;
  for (int row = 0; row < envs.size(); ++row) drawn.push_back(envs.stream(row).bits());
  std::ranges::sort(drawn);
  EXPECT_EQ(std::ranges::adjacent_find(drawn), drawn.end());
}

TEST(Agents, GoOnAfterLoad) {
  auto envs = pairs();
  auto resumed = pairs();
  Rows expected(6);
  Rows seen(6);
  envs.reset(expected.bytes());
  envs.step(std::vector<Action>(6), expected.bytes());
  StateWriter writer;
  envs.save(writer);
  StateReader reader(writer.bytes());
  EXPECT_TRUE(resumed.load(reader, seen.bytes()));
  EXPECT_EQ(seen.values(), expected.values());
  EXPECT_EQ(envs.stream(5).bits(), resumed.stream(5).bits());
}

TEST(Agents, OfCatchSeeTheirOwnPaddles) {
  auto env = make_catch({.size = 10, .players = 2});
  Stream stream(1, 0);
  std::vector<std::byte> frames(200);
  env->reset(stream, frames);
  const std::array actions{Action{.discrete = 0}, Action{.discrete = 2}};
  env->step(actions, stream, frames);
  const auto lit = [&](int agent, int column) {
    const int pixel = agent * 100 + 90 + 2 * column;
    return frames[static_cast<std::size_t>(pixel)] == std::byte{255};
  };
  EXPECT_TRUE(lit(0, 1) && !lit(0, 3));
  EXPECT_TRUE(lit(1, 3) && !lit(1, 1));
}

}  // namespace
}  // namespace tandem
