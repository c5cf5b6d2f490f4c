#include "tandem/systems/a3c/a3c_targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace tandem {
namespace {

constexpr std::int64_t kInterval = 40;  // steps of all threads between two refreshes

/// The only parameter of a thread's theta-.
float theta_of(const A3cTargets& targets, int thread) {
  std::vector<float> own(1);
  std::optional<std::int64_t> version;
  targets.of(thread).copy_if_newer(version, own);
  return own[0];
}

class A3cTargetsTest : public testing::Test {
 protected:
  /// A thread takes 5 steps, after which theta is `theta`.
  void step(A3cTargets& targets, int thread, float theta) {
    all_ += 5;
    targets.stepped(thread, 5, all_, [&](std::span<float> to) { to[0] = theta; });
  }

  const A3cConfig own_{.learners = 4, .own_targets = true};
  const std::vector<float> first_ = {1};
  std::int64_t all_ = 0;
};

// Seen failing when each thread had the whole interval, and when all threads counted together.
TEST_F(A3cTargetsTest, EachThreadCountsItsOwnSteps) {
  A3cTargets targets(own_, first_, kInterval, 0, nullptr);
  step(targets, 2, 2);
  EXPECT_EQ(theta_of(targets, 2), 1) << "after 5 of 40 / 4 steps";
  step(targets, 2, 3);
  EXPECT_EQ(theta_of(targets, 2), 3);
  step(targets, 1, 4);
  EXPECT_EQ(theta_of(targets, 1), 1);
  step(targets, 1, 5);
  step(targets, 1, 6);
  EXPECT_EQ(theta_of(targets, 1), 5);
  EXPECT_EQ(theta_of(targets, 2), 3);
  EXPECT_EQ(theta_of(targets, 0), 1);
}

TEST_F(A3cTargetsTest, ThreadsShareOneOtherwise) {
  A3cTargets targets({.learners = 4}, first_, kInterval, 0, nullptr);
  for (int i = 0; i < 7; ++i) step(targets, i % 4, 2);
  EXPECT_EQ(theta_of(targets, 0), 1) << "after 35 steps of all threads";
  step(targets, 3, 3);
  for (int thread = 0; thread < 4; ++thread) EXPECT_EQ(theta_of(targets, thread), 3);
}

// Seen failing when all threads' parameters had one name, and without the numbers of steps.
TEST_F(A3cTargetsTest, GoOnAsTheyWereSaved) {
  A3cTargets targets(own_, first_, kInterval, 0, nullptr);
  for (int i = 0; i < 3; ++i) step(targets, 1, 2);
  step(targets, 3, 4);
  Checkpoint checkpoint;
  targets.save(checkpoint);

  A3cTargets loaded(own_, std::vector<float>{9}, kInterval, all_, &checkpoint);
  EXPECT_EQ(theta_of(loaded, 1), 2);
  EXPECT_EQ(theta_of(loaded, 3), 1);
  step(loaded, 1, 5);  // its 20th step
  step(loaded, 3, 6);  // its 10th
  EXPECT_EQ(theta_of(loaded, 1), 5);
  EXPECT_EQ(theta_of(loaded, 3), 6);
}

TEST_F(A3cTargetsTest, ThereIsNoneWithoutAnInterval) {
  A3cTargets targets(own_, first_, 0, 0, nullptr);
  EXPECT_EQ(targets.of(3).size(), 0);
  Checkpoint checkpoint;
  targets.save(checkpoint);
  EXPECT_TRUE(checkpoint.tensors.empty());
}

}  // namespace
}  // namespace tandem
