#include "tandem/learn/shared_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "tandem/sync/crew.h"

namespace tandem {
namespace {

// An architecture of so many parameters that an update takes a while.
Architecture large() { return {.name = "linear", .input_shape = {20'000}, .policy_outputs = 2}; }

class SharedModelTest : public testing::Test {
 protected:
  // Plain gradient descent at a rate of 1 makes exact sums.
  Learner learner_{large(), {.kind = "momentum", .lr = 1, .momentum = 0, .clip_norm = 0}, 1};
  SharedModel model_{learner_};
  std::vector<float> own_ = std::vector<float>(model_.size());
  std::optional<std::int64_t> version_;
};

TEST_F(SharedModelTest, CopiesOnlyWhatIsNewer) {
  EXPECT_TRUE(model_.copy_if_newer(version_, own_));
  EXPECT_FALSE(model_.copy_if_newer(version_, own_));
  const auto before = own_;
  // Two gradients make one update.
  model_.apply(std::vector(2, std::vector<float>(model_.size(), 1.0F)), 0);
  EXPECT_EQ(model_.version(), 1);
  EXPECT_TRUE(model_.copy_if_newer(version_, own_));
  EXPECT_EQ(version_, 1);
  for (std::size_t i = 0; i < own_.size(); ++i) EXPECT_FLOAT_EQ(own_[i], before[i] - 2);
}

// Seen failing when many threads wrote the sum of squares of each part to one place.
TEST(SharedModel, UpdatesByManyThreadsHaveTheBitsOfOne) {
  const OptimizerConfig config{.kind = "adam", .lr = 0.1, .clip_norm = 1};
  const auto size = Learner(large(), config, 1).parameters().size();
  std::vector gradients(2, std::vector<float>(size));
  for (std::size_t i = 0; i < size; ++i) {
    gradients[0][i] = std::sin(static_cast<float>(i));
    gradients[1][i] = std::cos(static_cast<float>(i));
  }
  std::vector<std::vector<float>> after;
  for (const int threads : {1, 3}) {
    Learner learner(large(), config, 1);
    SharedModel model(learner);
    Workers workers(threads);
    for (int i = 0; i < 3; ++i) model.apply(gradients, 0, {}, workers);
    EXPECT_EQ(model.version(), 3);
    const auto parameters = learner.parameters();
    after.emplace_back(parameters.begin(), parameters.end());
  }
  EXPECT_EQ(after[0], after[1]);
}

// Gradients of 1 and 2 make one of 3. Seen failing with the norm of the first of them.
TEST(Learner, ClipsTheSumOfAllGradientsByItsNorm) {
  Learner learner(large(), {.kind = "momentum", .lr = 1, .momentum = 0, .clip_norm = 1}, 1);
  std::ranges::fill(learner.parameters(), 0.0F);
  const auto size = learner.parameters().size();
  Workers workers(2);
  const auto update =
      learner.apply(std::vector{std::vector(size, 1.0F), std::vector(size, 2.0F)}, 0, workers);
  const double root = std::sqrt(static_cast<double>(size));
  EXPECT_NEAR(update.gradient_norm, 3 * root, 1e-3);
  for (const float moved : learner.parameters()) ASSERT_NEAR(moved, -1 / root, 1e-6);
}

// Seen failing without the lock in apply(), and with torn copies without the lock in
// copy_if_newer().
TEST_F(SharedModelTest, NoUpdateOfManyThreadsIsLostAndNoCopyIsTorn) {
  std::ranges::fill(learner_.parameters(), 0.0F);
  Crew crew;
  crew.spawn("trainer", 4, [&](int) {
    const std::vector<float> one(model_.size(), -1.0F);
    for (int i = 0; i < 100; ++i) model_.apply({&one, 1}, 0);
  });
  crew.spawn("reader", 2, [&](int) {
    std::optional<std::int64_t> version;
    std::vector<float> own(model_.size());
    while (version.value_or(0) < 400) {
      if (!model_.copy_if_newer(version, own)) {
        std::this_thread::yield();
        continue;
      }
      // Each number has the bits of the next one. A sanitizer checks one call in less time than the
      // reads of a loop.
      ASSERT_EQ(own.front(), static_cast<float>(*version));
      ASSERT_EQ(std::memcmp(own.data(), own.data() + 1, (own.size() - 1) * sizeof(float)), 0);
    }
  });
  crew.join();
  EXPECT_EQ(model_.version(), 400);
}

}  // namespace
}  // namespace tandem
