// Collecting and playing with continuous actions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "tandem/acting/collector.h"
#include "tandem/acting/games.h"
#include "tandem/algo/a2c.h"
#include "tandem/base/error.h"
#include "tests/support/linear_network.h"

namespace tandem {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr int kRolloutSteps = 5;

// The reward is the first number of the action. A limit truncates episodes after four steps.
class Echo : public Env {
 public:
  const EnvSpec& spec() const override { return spec_; }
  void reset(Stream&, std::span<std::byte> frame) override {
    age_ = 0;
    show(frame);
  }
  StepResult step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) override {
    ++age_;
    show(frame);
    return {
        .reward = actions.front().continuous[0], .truncated = age_ == 4, .game_over = age_ == 4};
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  void show(std::span<std::byte> frame) const { std::memcpy(frame.data(), &age_, sizeof(age_)); }

  const EnvSpec spec_{.frame_shape = {1}, .action_low = {-0.5f, -9}, .action_high = {0.5f, 9}};
  float age_ = 0;
};

class ContinuousTest : public testing::Test {
 protected:
  static VecEnv envs(int count) {
    return VecEnv([](int) { return std::make_unique<Echo>(); }, {.count = count});
  }

  // All weights are 0, so the biases alone give the outputs: means of 3 and -1, a variance of
  // softplus(-20) + kLeastVariance, and a value of 7.
  const std::vector<float> parameters_ = {0, 0, 0, 3, -1, -20, 0, 7};
  const Architecture architecture_{
      .name = "linear", .input_dtype = DType::f32, .input_shape = {1}, .policy_outputs = 3};
  LinearNetwork network_{architecture_, parameters_};
  ForwardActor actor_{network_};
};

TEST_F(ContinuousTest, EnvironmentsTakeClippedActionsAndTheRolloutHoldsThoseDrawn) {
  const auto algorithm = make_gaussian_a2c({.gamma = 0.5, .reward_clip = 0});
  Collector collector(envs(2), actor_, nullptr, algorithm, kRolloutSteps);
  collector.start();
  const Rollout& rollout = collector.collect(0);
  EXPECT_THAT(rollout.rewards(),
              ElementsAre(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 + 0.5 * 7, 0.5 + 0.5 * 7, 0.5, 0.5));
  ASSERT_EQ(rollout.controls().size(), kRolloutSteps * 2 * 2);
  for (std::size_t i = 0; i < rollout.controls().size(); i += 2) {
    EXPECT_NEAR(rollout.controls()[i], 3, 0.1);
    EXPECT_NEAR(rollout.controls()[i + 1], -1, 0.1);
  }
  EXPECT_NE(rollout.controls()[0], rollout.controls()[2]);  // each from its own stream
}

TEST_F(ContinuousTest, WithoutBootstrappingReturnsEndWithTheRollout) {
  const auto algorithm = make_gaussian_a2c({.gamma = 0.5, .reward_clip = 0, .bootstrap = false});
  Collector collector(envs(1), actor_, nullptr, algorithm, kRolloutSteps, RolloutEnd::at_episode);
  collector.start();
  const Rollout& rollout = collector.collect(0);
  EXPECT_THAT(rollout.rewards(), Each(0.5f));
  EXPECT_EQ(rollout.values().back(), 0);
}

// Otherwise the return would count as that of an episode that ended with the rollout.
TEST_F(ContinuousTest, WithoutBootstrappingARolloutMustLastUntilTheEpisodesEnd) {
  const auto algorithm = make_gaussian_a2c({.reward_clip = 0, .bootstrap = false});
  Collector collector(envs(1), actor_, nullptr, algorithm, 3, RolloutEnd::at_episode);
  collector.start();
  EXPECT_THAT([&] { (void)collector.collect(0); },
              testing::ThrowsMessage<Error>(
                  testing::AllOf(testing::HasSubstr("after 3 steps: raise the system's t_max"),
                                 testing::Not(testing::HasSubstr("a3c")))));
}

TEST_F(ContinuousTest, GreedyPlayTakesTheMean) {
  const auto algorithm = make_gaussian_a2c({});
  const auto returns = [&](float mean, Play play) {
    auto parameters = parameters_;
    parameters[3] = mean;
    LinearNetwork network(architecture_, parameters);
    Games games(envs(2), network, *algorithm.acting, play);
    while (!games.over()) games.step();
    std::vector<double> all;
    for (const auto& game : games.take_finished()) all.push_back(game.episode_return);
    return all;
  };
  EXPECT_THAT(returns(0.25f, Play::greedy), ElementsAre(4 * 0.25, 4 * 0.25));
  EXPECT_THAT(returns(2.0f, Play::greedy), ElementsAre(4 * 0.5, 4 * 0.5));
  EXPECT_THAT(returns(0.25f, Play::sampled), Each(testing::Ne(4 * 0.25)));
}

// The environment would show numbers that are not finite, and get the blame; a sweep goes on after
// Diverged alone.
TEST_F(ContinuousTest, AnActionThatIsNoNumberMeansThatTheTrainingHasDiverged) {
  const auto algorithm = make_gaussian_a2c({});
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto parameters = parameters_;
    parameters[3] = wrong;
    LinearNetwork network(architecture_, parameters);
    ForwardActor actor(network);
    Collector collector(envs(1), actor, nullptr, algorithm, kRolloutSteps);
    collector.start();
    EXPECT_THROW((void)collector.collect(0), Diverged);
    Games games(envs(1), network, *algorithm.acting, Play::greedy);
    EXPECT_THAT([&] { games.step(); }, testing::ThrowsMessage<Diverged>(testing::AllOf(
                                           testing::HasSubstr("the policy's action became"),
                                           testing::Not(testing::HasSubstr("environment")))));
  }
}

}  // namespace
}  // namespace tandem
