#include "tandem/run/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>

#include "tandem/algo/a2c.h"
#include "tests/support/counting_network.h"
#include "tests/support/error_of.h"
#include "tests/support/linear_network.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::Field;

constexpr int kLives = 3;

// Counts over the environments of one test.
struct Counts {
  std::atomic<int> environments = 0;
  std::atomic<int> steps = 0;
};

// Games of three lives. In environment i a life lasts 1 + i steps, plus up to `luck` more drawn
// from its stream. The index of the action is the reward.
class Lives : public Env {
 public:
  Lives(Counts& counts, int index, std::uint32_t luck)
      : counts_(counts), index_(index), luck_(luck) {
    ++counts_.environments;
  }

  const EnvSpec& spec() const override { return spec_; }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    life_ = life_ % kLives + 1;
    steps_left_ = 1 + index_ + static_cast<int>(stream.below(luck_ + 1));
    show(frame);
  }

  StepResult step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) override {
    ++counts_.steps;
    const bool end = --steps_left_ == 0;
    show(frame);
    return {.reward = static_cast<float>(actions.front().discrete),
            .terminated = end,
            .game_over = end && life_ == kLives};
  }

  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  void show(std::span<std::byte> frame) const {
    const std::array<float, 2> values{static_cast<float>(life_), static_cast<float>(steps_left_)};
    std::memcpy(frame.data(), values.data(), sizeof(values));
  }

  const EnvSpec spec_{.frame_shape = {2}, .num_actions = 3};
  Counts& counts_;
  int index_;
  std::uint32_t luck_;
  int life_ = 0;
  int steps_left_ = 0;
};

class EvaluationTest : public testing::Test {
 protected:
  Evaluation play(const EvaluationOptions& options, std::uint32_t luck = 0) {
    const EnvFactory make_env = [&](int index) {
      return std::make_unique<Lives>(counts_, index, luck);
    };
    return evaluate(options, make_env, network_, *algorithm_.acting);
  }

  Counts counts_;
  // All weights are 0 and one bias is not: the policy prefers action 1 to 0 and 2 in every state.
  const Architecture architecture_ =
      linear_architecture({.dtype = DType::f32, .frame_shape = {2}, .num_actions = 3});
  std::vector<float> parameters_ = [] {
    std::vector<float> parameters(12, 0.0F);
    parameters[7] = 1;  // the policy's second bias, after its 3 x 2 weights
    return parameters;
  }();
  LinearNetwork network_{architecture_, parameters_};
  Algorithm algorithm_ = make_a2c({});
};

std::vector<double> returns(const Evaluation& evaluation) {
  std::vector<double> values;
  for (const auto& game : evaluation.games) values.push_back(game.episode_return);
  return values;
}

std::vector<std::int64_t> lengths(const Evaluation& evaluation) {
  std::vector<std::int64_t> values;
  for (const auto& game : evaluation.games) values.push_back(game.steps);
  return values;
}

// Seen failing when a game was over at the first lost life.
TEST_F(EvaluationTest, PlaysOneWholeGameInEachEnvironment) {
  const auto result = play({.episodes = 5});
  EXPECT_EQ(counts_.environments, 5);
  EXPECT_THAT(lengths(result), ElementsAre(3, 6, 9, 12, 15));
  EXPECT_EQ(counts_.steps, 3 + 6 + 9 + 12 + 15);
}

TEST_F(EvaluationTest, AGameThatDoesNotEndIsAnError) {
  EXPECT_EQ(lengths(play({.episodes = 3, .most_steps = 9})).back(), 9);
  EXPECT_THAT(error_of([&] { play({.episodes = 3, .most_steps = 8}); }),
              testing::HasSubstr("a game has not ended after 8 steps"));
}

TEST_F(EvaluationTest, GreedyTakesTheMostProbableActionAlways) {
  const auto result = play({.episodes = 4, .play = Play::greedy});
  EXPECT_THAT(returns(result), ElementsAre(3, 6, 9, 12));
}

TEST_F(EvaluationTest, SampledFollowsTheProbabilities) {
  const auto result = play({.episodes = 100});
  double steps = 0;
  for (const auto length : lengths(result)) steps += static_cast<double>(length);
  // By symmetry the mean action is 1; an action's standard deviation is sqrt(2 / (2 + e)).
  const double deviation = std::sqrt(2 / (2 + std::exp(1.0)) / steps);
  EXPECT_NEAR(result.mean * 100 / steps, 1, 4 * deviation);
  const auto greedy = play({.episodes = 100, .play = Play::greedy});
  EXPECT_NE(returns(result), returns(greedy));
}

// Seen failing when the number of threads changed the seed.
TEST_F(EvaluationTest, DependsOnTheSeedAndNotOnThreads) {
  const auto one = play({.episodes = 12, .seed = 3, .threads = 1}, 20);
  const auto three = play({.episodes = 12, .seed = 3, .threads = 3}, 20);
  const auto other = play({.episodes = 12, .seed = 4, .threads = 3}, 20);
  EXPECT_EQ(returns(one), returns(three));
  EXPECT_EQ(lengths(one), lengths(three));
  EXPECT_NE(lengths(one), lengths(other));
}

// Action k is the most probable in the k-th step of a life, and action 2 in all later steps. Seen
// failing when states were not kept, when they did not move up after an earlier environment's game
// had ended, and when no state was reset at the end of a life.
TEST_F(EvaluationTest, CarriesTheRecurrentStateOfEachGame) {
  CountingNetwork counting(3);
  const EnvFactory make_env = [&](int index) { return std::make_unique<Lives>(counts_, index, 0); };
  const auto result =
      evaluate({.episodes = 3, .play = Play::greedy}, make_env, counting, *algorithm_.acting);
  EXPECT_THAT(returns(result), ElementsAre(3 * 1, 3 * (1 + 2), 3 * (1 + 2 + 2)));
}

// It crashed.
TEST_F(EvaluationTest, RefusesToPlayNoGame) {
  EXPECT_THAT(error_of([&] { play({.episodes = 0}); }), testing::HasSubstr("one game at least"));
}

TEST(Summary, OfAHandComputedCase) {
  const auto odd = summarise({{0, 4.0, 10}, {1, -2.0, 20}, {2, 7.0, 30}});
  EXPECT_DOUBLE_EQ(odd.mean, 3);
  EXPECT_DOUBLE_EQ(odd.median, 4);
  EXPECT_DOUBLE_EQ(odd.deviation, std::sqrt(21.0));  // (1 + 25 + 16) / 2
  EXPECT_DOUBLE_EQ(odd.least, -2);
  EXPECT_DOUBLE_EQ(odd.most, 7);
  EXPECT_THAT(odd.games, ElementsAre(Field(&Episode::steps, 10), Field(&Episode::steps, 20),
                                     Field(&Episode::steps, 30)));
  EXPECT_DOUBLE_EQ(summarise({{0, 4.0, 1}, {1, 1.0, 1}}).median, 2.5);
}

TEST(Summary, OfOneGameHasNoDeviation) {
  EXPECT_TRUE(std::isnan(summarise({{0, 4.0, 10}}).deviation));
}

}  // namespace
}  // namespace tandem
