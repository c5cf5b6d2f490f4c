#include "tandem/learn/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/error.h"

namespace tandem {
namespace {

TEST(LearningRate, GoesLinearlyFromStartToEnd) {
  const OptimizerConfig config{.lr = 0.4, .lr_end = 0.2, .anneal_steps = 100};
  EXPECT_FLOAT_EQ(learning_rate(config, 0), 0.4f);
  EXPECT_FLOAT_EQ(learning_rate(config, 25), 0.35f);
  EXPECT_FLOAT_EQ(learning_rate(config, 100), 0.2f);
  EXPECT_FLOAT_EQ(learning_rate(config, 1'000'000), 0.2f);
}

TEST(LearningRate, IsConstantWithoutAnnealing) {
  const OptimizerConfig config{.lr = 0.4, .lr_end = 0, .anneal_steps = 0};
  EXPECT_FLOAT_EQ(learning_rate(config, 123'456'789), 0.4f);
}

TEST(LearningRate, IsDrawnLogUniformlyByTheSeed) {
  int below = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    OptimizerConfig config{.lr_choice = "log_uniform", .lr_low = 1e-4, .lr_high = 1e-2};
    draw_learning_rate(config, seed);
    ASSERT_GE(config.lr, 1e-4);
    ASSERT_LE(config.lr, 1e-2);
    below += config.lr < 1e-3 ? 1 : 0;
    auto again = config;
    draw_learning_rate(again, seed);
    ASSERT_EQ(again.lr, config.lr);
  }
  EXPECT_NEAR(below, 1000, 100);  // 1e-3 is the middle of the logarithms; four deviations are 90
}

TEST(LearningRate, IsLeftAloneUnlessItIsToBeDrawn) {
  OptimizerConfig config{.lr = 0.5};
  draw_learning_rate(config, 3);
  EXPECT_EQ(config.lr, 0.5);
  EXPECT_THROW(draw_learning_rate(config = {.lr_choice = "log_uniform", .lr_low = 0}, 3), Error);
  EXPECT_THROW(draw_learning_rate(config = {.lr_choice = "log_uniform", .lr_low = 1}, 3), Error);
}

TEST(Clip, BringsTheNormDown) {
  EXPECT_EQ(clip_scale(3, 40), 1);
  EXPECT_EQ(clip_scale(40, 40), 1);
  EXPECT_FLOAT_EQ(clip_scale(80, 40), 0.5f);
  EXPECT_EQ(clip_scale(1e30, 0), 1);
  // NaN stays NaN: a reader of the parameters must see it.
  EXPECT_TRUE(std::isnan(clip_scale(std::nan(""), 40)));
}

TEST(GlobalNorm, CountsEveryElement) {
  for (const std::size_t size : {0, 1, 15, 16, 17, 1000}) {
    const std::vector<float> ones(size, 2.0f);
    EXPECT_EQ(sum_of_squares(ones), 4 * static_cast<double>(size)) << size;
  }
}

TEST(GlobalNorm, AddsInDoublePrecision) {
  // In float the ones would vanish beside 1e8.
  std::vector<float> values(1 << 16, 1.0f);
  values[0] = 1e4f;
  EXPECT_NEAR(sum_of_squares(values), 1e8 + 65535, 1e-6);
}

TEST(Optimizer, UnknownRuleOffersTheOthers) {
  EXPECT_THAT([] { make_optimizer({.kind = "adagrad"}, 1); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("rmsprop, momentum or adam")));
}

class EveryRule : public testing::TestWithParam<std::string> {};

/// Takes some steps with arbitrary but fixed gradients.
void take_steps(Optimizer& optimizer, std::vector<float>& parameters, int first, int last) {
  for (int k = first; k < last; ++k) {
    std::vector<float> gradient(parameters.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = std::sin(1.0f + k + 2.0f * i);
    optimizer.begin();
    optimizer.step(0, parameters, gradient, 0.5f, 0.1f);
  }
}

TEST_P(EveryRule, SlotsHoldTheWholeState) {
  const OptimizerConfig config{.kind = GetParam(), .momentum = 0.9};
  const auto whole = make_optimizer(config, 21);
  std::vector<float> expected(21, 1.0f);
  take_steps(*whole, expected, 0, 3);
  const auto resumed = make_optimizer(config, 21);
  auto parameters = expected;
  const auto from = whole->slots();
  const auto to = resumed->slots();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(from[i].name, to[i].name);
    ASSERT_EQ(from[i].values.size(), to[i].values.size());
    std::ranges::copy(from[i].values, to[i].values.begin());
  }
  take_steps(*whole, expected, 3, 6);
  take_steps(*resumed, parameters, 3, 6);
  EXPECT_EQ(parameters, expected);
}

TEST_P(EveryRule, GradientScaleScalesTheGradient) {
  const OptimizerConfig config{.kind = GetParam()};
  std::vector<float> scaled{1, 2, 3};
  std::vector<float> plain = scaled;
  const auto step = [&](std::vector<float>& parameters, std::vector<float> gradient, float scale) {
    const auto optimizer = make_optimizer(config, 3);
    optimizer->begin();
    optimizer->step(0, parameters, gradient, scale, 0.1f);
  };
  step(scaled, {2, 4, -6}, 0.5f);
  step(plain, {1, 2, -3}, 1.0f);
  EXPECT_EQ(scaled, plain);
}

// Seen failing when every part used the state of the first parameters.
TEST_P(EveryRule, PartsMakeTheWhole) {
  const OptimizerConfig config{.kind = GetParam(), .momentum = 0.9};
  const auto whole = make_optimizer(config, 21);
  const auto in_parts = make_optimizer(config, 21);
  std::vector<float> expected(21, 1.0f);
  auto parameters = expected;
  for (int k = 0; k < 3; ++k) {
    take_steps(*whole, expected, k, k + 1);
    std::vector<float> gradient(21);
    for (std::size_t i = 0; i < 21; ++i) gradient[i] = std::sin(1.0f + k + 2.0f * i);
    in_parts->begin();
    for (const auto& [first, count] : {std::pair{8, 13}, std::pair{0, 8}}) {
      in_parts->step(first, std::span(parameters).subspan(first, count),
                     std::span(gradient).subspan(first, count), 0.5f, 0.1f);
    }
  }
  EXPECT_EQ(parameters, expected);
}

// Seen failing without without_denormals(): the means stay at some 1e-44 for good.
TEST_P(EveryRule, TheMeansOfASilentUnitVanish) {
  const OptimizerConfig config{
      .kind = GetParam(), .decay = 0.9, .momentum = 0.9, .beta1 = 0.9, .beta2 = 0.9};
  const auto optimizer = make_optimizer(config, 3);
  std::vector<float> parameters(3, 1.0f);
  take_steps(*optimizer, parameters, 0, 3);
  for (int k = 0; k < 1000; ++k) {  // 0.9^1000 is 1e-46
    optimizer->begin();
    optimizer->step(0, parameters, std::vector<float>(3), 1.0f, 0.1f);
  }
  for (const auto& slot : optimizer->slots()) {
    if (slot.name == "count") continue;
    EXPECT_TRUE(std::ranges::all_of(slot.values, [](float mean) { return mean == 0; }))
        << slot.name;
  }
}

TEST_P(EveryRule, GoesDownhill) {
  // Minimises (x - 3)^2.
  const auto optimizer = make_optimizer({.kind = GetParam(), .momentum = 0.9}, 1);
  std::vector<float> x{0};
  for (int k = 0; k < 500; ++k) {
    optimizer->begin();
    optimizer->step(0, x, std::vector<float>{2 * (x[0] - 3)}, 1.0f, 0.05f);
  }
  EXPECT_NEAR(x[0], 3, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Rules, EveryRule,
                         testing::Values("rmsprop", "centered_rmsprop", "momentum", "adam"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tandem
