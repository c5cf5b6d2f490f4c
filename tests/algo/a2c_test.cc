#include "tandem/algo/a2c.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/algo/ppo.h"
#include "tandem/base/error.h"
#include "tests/support/judged.h"

namespace tandem {
namespace {

constexpr int kSteps = 2;
constexpr int kEnvs = 3;
constexpr std::int64_t kSamples = std::int64_t{kSteps} * kEnvs;
constexpr std::int64_t kActions = 4;

/// All inputs of the loss, with arbitrary but fixed numbers.
struct Batch {
  Batch() : rollout(spec(), kSteps, kEnvs) {
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = std::sin(3.0f * i);
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = std::cos(5.0f * i);
    for (int t = 0; t < kSteps; ++t) {
      for (int e = 0; e < kEnvs; ++e) {
        rollout.actions(t)[e] = (t + 2 * e) % kActions;
        rollout.rewards(t)[e] = std::sin(7.0f * t + e);
        rollout.discounts(t)[e] = t == 0 && e == 1 ? 0.0f : 0.9f;
      }
    }
    std::ranges::fill(rollout.values(kSteps), 0.5f);
  }

  static EnvSpec spec() {
    EnvSpec spec;
    spec.frame_shape = {1};
    spec.num_actions = kActions;
    return spec;
  }

  LossStats loss(const Algorithm& algorithm, double weight) {
    return algorithm.rollout_loss().loss({kSamples, kActions, logits, value}, rollout, weight,
                                         {kSamples, kActions, d_logits, d_value});
  }

  Rollout rollout;
  std::vector<float> logits = std::vector<float>(kSamples * kActions);
  std::vector<float> value = std::vector<float>(kSamples);
  std::vector<float> d_logits = std::vector<float>(kSamples * kActions);
  std::vector<float> d_value = std::vector<float>(kSamples);
};

/// The slope of f in x, by central differences.
template <class F>
double slope(float& x, const F& f) {
  const float kept = x;
  x = kept + 0.01f;
  const double above = f();
  x = kept - 0.01f;
  const double below = f();
  x = kept;
  return (above - below) / 0.02;
}

TEST(A2c, GradientIsThatOfFiniteDifferences) {
  const A2cConfig config{.entropy = 0.3, .value_loss = 0.25, .loss_scale = 2};
  const auto algorithm = make_a2c(config);
  const double weight = 0.5;
  Batch batch;
  batch.loss(algorithm, weight);
  const auto d_logits = batch.d_logits;
  const auto d_value = batch.d_value;
  // The advantage is constant in the policy's term, so each head has a loss of its own.
  const auto policy_loss = [&] {
    const auto stats = batch.loss(algorithm, weight);
    return weight * config.loss_scale * (stats.policy_loss - config.entropy * stats.entropy);
  };
  const auto value_loss = [&] {
    return weight * config.loss_scale * config.value_loss *
           batch.loss(algorithm, weight).value_loss;
  };
  for (std::size_t i = 0; i < d_logits.size(); ++i) {
    EXPECT_NEAR(d_logits[i], slope(batch.logits[i], policy_loss), 2e-4) << "logit " << i;
  }
  for (std::size_t i = 0; i < d_value.size(); ++i) {
    EXPECT_NEAR(d_value[i], slope(batch.value[i], value_loss), 2e-4) << "value " << i;
  }
}

TEST(A2c, LimitsBeyondThoseOfVtraceAreRefused) {
  EXPECT_THROW(make_a2c({.correction = "vtrace", .rho_limit = 0.5, .c_limit = 1}), Error);
  EXPECT_THROW(make_a2c({.correction = "vtrace", .rho_limit = 0, .c_limit = 0}), Error);
  EXPECT_NO_THROW(make_a2c({.correction = "vtrace", .rho_limit = 2, .c_limit = 0.5}));
  EXPECT_NO_THROW(make_a2c({.correction = "none", .rho_limit = 0.5, .c_limit = 1}));
}

TEST(A2c, StaysFiniteWithExtremeLogits) {
  Batch batch;
  for (float& logit : batch.logits) logit *= 1e4f;
  const auto stats = batch.loss(make_a2c({}), 1);
  EXPECT_TRUE(std::isfinite(stats.policy_loss));
  EXPECT_NEAR(stats.entropy, 0, 1e-6);
  for (const float d : batch.d_logits) EXPECT_TRUE(std::isfinite(d));
}

TEST(A2c, StatsOfTwoBatchesAdd) {
  Batch batch;
  auto sum = batch.loss(make_a2c({}), 1);
  const auto one = sum;
  sum += one;
  EXPECT_EQ(sum.samples, 2 * kSamples);
  EXPECT_EQ(sum.entropy, 2 * one.entropy);
  EXPECT_EQ(sum.value_loss, 2 * one.value_loss);
  EXPECT_EQ(sum.policy_loss, 2 * one.policy_loss);
}

// Both corrections value the last states anew. Seen failing when only vtrace did.
TEST(A2c, ACorrectionNeedsTheValuesOfTheParametersThatLearn) {
  const auto off_policy = [](const char* correction) {
    return make_a2c({.correction = correction}).rollout_loss().needs().off_policy;
  };
  EXPECT_FALSE(off_policy("none"));
  EXPECT_TRUE(off_policy("values"));
  EXPECT_TRUE(off_policy("vtrace"));
}

// An actor-critic knows no value of a single action. Seen failing without the action values.
TEST(ActorCritic, JudgesByTheStatesValue) {
  std::vector<float> outputs(4);
  std::vector<float> value{5, -1};
  std::vector<std::int32_t> chosen{0, 1};
  for (const auto& algorithm :
       {make_a2c({}), make_gaussian_a2c({}), make_ppo({}), make_gaussian_ppo({})}) {
    const auto judged = judge(*algorithm.acting, {2, 2, outputs, value}, {chosen});
    EXPECT_EQ(judged.action_values, value);
    EXPECT_EQ(judged.state_values, value);
  }
}

TEST(A2c, ClipsRewardsUnlessToldNotTo) {
  const auto clipping = make_a2c({});
  EXPECT_EQ(clipping.acting->reward(20), 1);
  EXPECT_EQ(clipping.acting->reward(-3), -1);
  EXPECT_EQ(clipping.acting->reward(0.25f), 0.25f);
  EXPECT_EQ(make_a2c({.reward_clip = 0}).acting->reward(20), 20);
  EXPECT_EQ(make_a2c({.reward_clip = 1, .reward_scale = 0.5}).acting->reward(20), 0.5f);
}

/// Actions of `count` environments with the same logits.
std::vector<std::int32_t> act(const std::vector<float>& row, std::size_t count) {
  std::vector<float> logits;
  std::vector<Stream> streams;
  logits.reserve(count * row.size());
  streams.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    logits.insert(logits.end(), row.begin(), row.end());
    streams.emplace_back(1, i);
  }
  std::vector<Stream*> pointers(count);
  std::ranges::transform(streams, pointers.begin(), [](Stream& stream) { return &stream; });
  std::vector<float> value(count);
  std::vector<std::int32_t> actions(count);
  make_a2c({}).acting->act(
      {static_cast<std::int64_t>(count), static_cast<std::int64_t>(row.size()), logits, value},
      pointers, std::vector<float>(count), {actions});
  return actions;
}

TEST(A2c, SamplesFromTheSoftmax) {
  const std::vector<float> logits{0.5f, -1, 2, 1, -3};
  constexpr int kDraws = 100'000;
  std::vector<int> seen(logits.size());
  for (const auto action : act(logits, kDraws)) ++seen[action];
  double total = 0;
  for (const float logit : logits) total += std::exp(logit);
  double chi_square = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double expected = kDraws * std::exp(logits[i]) / total;
    chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
  }
  // The 99.9 % quantile of chi-square with four degrees of freedom. Seen failing with `u * u` for
  // `u`.
  EXPECT_LT(chi_square, 18.5);
}

TEST(A2c, ImpossibleActionsAreNeverChosen) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  EXPECT_THAT(act({kNever, 0, kNever, 0, kNever}, 10'000), testing::Each(testing::AnyOf(1, 3)));
}

TEST(A2c, DrawsOnceFromEachStream) {
  Stream stream(5, 6);
  Stream other = stream;
  std::vector<float> logits{0, 0}, value{0};
  std::vector<std::int32_t> action(1);
  Stream* const pointer = &stream;
  make_a2c({}).acting->act({1, 2, logits, value}, std::span(&pointer, 1), {}, {action});
  const float u = other.uniform();
  EXPECT_EQ(action[0], u < 0.5f ? 0 : 1);
  EXPECT_EQ(stream.bits(), other.bits());
}

TEST(A2c, KeepsTheProbabilitiesOfWhatItDrew) {
  Stream stream(5, 6);
  Stream* const pointer = &stream;
  std::vector<float> outputs{std::log(0.25f), std::log(0.75f)}, value{0}, log_probability(1);
  std::vector<std::int32_t> action(1);
  make_a2c({.correction = "vtrace"})
      .acting->act({1, 2, outputs, value}, std::span(&pointer, 1), {},
                   {action, {}, log_probability});
  EXPECT_NEAR(std::exp(log_probability[0]), action[0] == 0 ? 0.25f : 0.75f, 1e-6);

  // The action has one dimension and a variance of 1, up to kLeastVariance.
  outputs = {2, std::log(std::exp(1.0f) - 1)};
  std::vector<float> control(1);
  make_gaussian_a2c({.correction = "vtrace"})
      .acting->act({1, 2, outputs, value}, std::span(&pointer, 1), {},
                   {action, control, log_probability});
  const float off = control[0] - 2;
  EXPECT_NEAR(log_probability[0], -0.5f * (off * off + std::log(2 * 3.14159265f)), 1e-3);
}

}  // namespace
}  // namespace tandem
