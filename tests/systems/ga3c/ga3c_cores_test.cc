#include "tandem/systems/ga3c/ga3c_cores.h"

#include <gtest/gtest.h>

#include <vector>

#include "tandem/systems/ga3c/ga3c.h"

namespace tandem {
namespace {

const Ga3cConfig kSix = {.agents = 4, .predictors = 1, .trainers = 1, .trainer_cores = 1};

TEST(Ga3cCores, TrainersHaveTheFirstOfThoseThatMayBeUsed) {
  const auto two = Ga3cCores::of(kSix, std::vector{4, 7});
  EXPECT_EQ(two.trainers, std::vector{4});
  EXPECT_EQ(two.others, std::vector{7});
  auto config = kSix;
  config.trainer_cores = 2;
  const auto five = Ga3cCores::of(config, std::vector{0, 1, 2, 3, 9});
  EXPECT_EQ(five.trainers, (std::vector{0, 1}));
  EXPECT_EQ(five.others, (std::vector{2, 3, 9}));
}

void expect_none(const Ga3cConfig& config, const std::vector<int>& usable) {
  const auto cores = Ga3cCores::of(config, usable);
  EXPECT_TRUE(cores.trainers.empty());
  EXPECT_TRUE(cores.others.empty());
}

TEST(Ga3cCores, NobodyKeepsToAnyWhereThatIsNotAskedForOrIsNoUse) {
  auto free = kSix;
  free.trainer_cores = 0;
  expect_none(free, {0, 1});
  expect_none(kSix, {});                  // the cores are not known
  expect_none(kSix, {0});                 // none would be left for agents
  expect_none(kSix, {0, 1, 2, 3, 4, 5});  // one for every thread
  EXPECT_FALSE(Ga3cCores::of(kSix, std::vector{0, 1, 2, 3, 4}).trainers.empty());
}

}  // namespace
}  // namespace tandem
