#include "tandem/learn/hogwild.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/nn/architecture.h"

namespace tandem {
namespace {

Learner make_learner(const OptimizerConfig& config, std::int64_t hidden = 32) {
  const auto spec = make_builtin_family()->make("cartpole", 0)->spec();
  return {make_architecture({.arch = "mlp", .hidden = hidden}, spec), config, 7};
}

std::vector<float> some_gradient(std::size_t size, int k) {
  std::vector<float> gradient(size);
  for (std::size_t i = 0; i < size; ++i) {
    gradient[i] = std::sin(0.1f * static_cast<float>(i + 1) * static_cast<float>(k + 1));
  }
  return gradient;
}

// A single thread moves the parameters as PAAC's learner does with the same rule, whether its
// statistics are the shared ones or its own. Seen failing when its own began at 0 in spite of
// initial_square.
TEST(Hogwild, OneThreadMovesAsTheLearnerAlone) {
  for (const auto& [inside, shares] : {std::pair(true, true), {true, false}, {false, true}}) {
    const OptimizerConfig config{
        .lr = 0.01, .decay = 0.9, .epsilon = 0.1, .epsilon_inside = inside, .clip_norm = 2};
    auto alone = make_learner(config);
    auto shared = make_learner(config);
    Hogwild hogwild(shared, {.shared_statistics = shares}, 1);
    Workers workers(1);
    for (int k = 0; k < 5; ++k) {
      const std::vector<std::vector<float>> gradients{some_gradient(alone.parameters().size(), k)};
      const auto expected = alone.apply(gradients, k, workers);
      const auto update = hogwild.apply(0, gradients[0], k);
      EXPECT_FLOAT_EQ(update.gradient_norm, expected.gradient_norm);
      EXPECT_EQ(update.learning_rate, expected.learning_rate);
    }
    for (std::size_t i = 0; i < alone.parameters().size(); ++i) {
      ASSERT_NEAR(shared.parameters()[i], alone.parameters()[i], 1e-6) << i;
    }
  }
}

// The rule is m = alpha m + (1 - alpha) d, theta -= eta m. Computed by hand: 1 - 0.5 * 0.2 = 0.9,
// then m = 0.8 * 0.2 + 0.2 * 2 = 0.56 and 0.9 - 0.5 * 0.56 = 0.62.
TEST(Hogwild, MomentumIsThePapers) {
  auto learner = make_learner({.kind = "momentum", .lr = 0.5, .momentum = 0.8, .clip_norm = 0});
  Hogwild hogwild(learner, {}, 1);
  const auto size = learner.parameters().size();
  std::ranges::fill(learner.parameters(), 1.0f);
  hogwild.apply(0, std::vector(size, 1.0f), 0);
  EXPECT_FLOAT_EQ(learner.parameters()[3], 0.9f);
  hogwild.apply(0, std::vector(size, 2.0f), 0);
  EXPECT_FLOAT_EQ(learner.parameters()[3], 0.62f);
}

// Two threads have gradients of 1 and 2. They share the statistics g, or each has its own.
TEST(Hogwild, StatisticsAreSharedOrEachThreadsOwn) {
  for (const bool shared : {true, false}) {
    auto learner = make_learner({.lr = 1,
                                 .decay = 0.5,
                                 .epsilon = 0,
                                 .epsilon_inside = true,
                                 .initial_square = 0,
                                 .clip_norm = 0});
    Hogwild hogwild(learner, {.shared_statistics = shared}, 2);
    const auto size = learner.parameters().size();
    std::ranges::fill(learner.parameters(), 0.0f);
    hogwild.apply(0, std::vector(size, 1.0f), 0);
    hogwild.apply(1, std::vector(size, 2.0f), 0);
    const float first = 1 / std::sqrt(0.5f);
    const float second = 2 / std::sqrt(shared ? 0.25f + 2.0f : 2.0f);
    EXPECT_FLOAT_EQ(learner.parameters()[0], -first - second) << shared;
    EXPECT_EQ(hogwild.slots().size(), shared ? 0 : 2);
  }
}

/// Each thread takes 1 off every parameter `updates` times. Returns the sum of what they all took
/// off a parameter, as a mean over the parameters.
double taken_off(bool locking, int threads, int updates) {
  // The network is so large that updates of several threads overlap.
  auto learner = make_learner({.kind = "momentum", .lr = 1, .momentum = 0, .clip_norm = 0}, 256);
  Hogwild hogwild(learner, {.locking = locking}, threads);
  const auto size = learner.parameters().size();
  std::ranges::fill(learner.parameters(), 0.0f);
  std::vector<std::thread> team;
  for (int thread = 0; thread < threads; ++thread) {
    team.emplace_back([&, thread] {
      const std::vector ones(size, 1.0f);
      std::vector<float> own(size);
      for (int k = 0; k < updates; ++k) {
        hogwild.copy_parameters(own);
        hogwild.apply(thread, ones, 0);
      }
    });
  }
  for (auto& thread : team) thread.join();
  double sum = 0;
  for (const float value : learner.parameters()) sum -= value;
  return sum / static_cast<double>(size);
}

// Seen failing with the lock left out of apply(): a thread's updates overwrite another's.
TEST(Hogwild, WithLocksNoUpdateIsLost) { EXPECT_EQ(taken_off(true, 4, 2000), 4 * 2000); }

// Without locks some updates may be lost. ThreadSanitizer must not report it, and at least a
// quarter of the updates must stay.
TEST(Hogwild, WithoutLocksMostUpdatesStay) {
  const double taken = taken_off(false, 4, 2000);
  EXPECT_LE(taken, 4 * 2000);
  EXPECT_GE(taken, 2000);
}

TEST(Hogwild, RefusesAnOptimizerWithoutAnAsynchronousForm) {
  auto learner = make_learner({.kind = "adam"});
  EXPECT_THAT([&] { Hogwild(learner, {}, 1); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("use rmsprop or momentum")));
}

}  // namespace
}  // namespace tandem
