#include "tandem/systems/ga3c_adjustment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tandem {
namespace {

int distance(const Ga3cThreads& a, const Ga3cThreads& b) {
  return std::abs(a.agents - b.agents) + std::abs(a.predictors - b.predictors) +
         std::abs(a.trainers - b.trainers);
}

TEST(Ga3cAdjustment, ChangesOneNumberByOne) {
  Ga3cAdjustment adjustment({.agents = 3, .predictors = 2, .trainers = 2}, Stream(1, 0));
  for (int i = 0; i < 100; ++i) {
    const auto tried = adjustment.next(i);
    EXPECT_EQ(distance(tried, adjustment.kept()), 1);
    EXPECT_GE(tried.agents, 1);
    EXPECT_GE(tried.predictors, 1);
    EXPECT_GE(tried.trainers, 1);
  }
}

// Section 4.3: accept or reject.
TEST(Ga3cAdjustment, KeepsWhatMakesMoreTrainingsASecondAndNothingElse) {
  const Ga3cThreads start{.agents = 3, .predictors = 3, .trainers = 3};
  Ga3cAdjustment adjustment(start, Stream(1, 0));
  adjustment.next(100);  // what the start makes
  EXPECT_EQ(adjustment.kept(), start);
  const auto worse = adjustment.next(90);
  EXPECT_EQ(adjustment.kept(), start);
  adjustment.next(110);
  EXPECT_EQ(adjustment.kept(), worse);  // by then it made more
  adjustment.next(110);
  EXPECT_EQ(adjustment.kept(), worse);  // the same is not more
}

// Figure 2, with a machine that likes 9 agents, 2 predictors and 4 trainers.
TEST(Ga3cAdjustment, FindsTheBestNumbers) {
  const Ga3cThreads best{.agents = 9, .predictors = 2, .trainers = 4};
  Ga3cAdjustment adjustment({}, Stream(5, 0));
  Ga3cThreads tried;
  for (int minute = 0; minute < 150; ++minute) tried = adjustment.next(100 - distance(tried, best));
  EXPECT_EQ(adjustment.kept(), best);
}

TEST(Ga3cAdjustment, GoesOnFromWhatItSaved) {
  Ga3cAdjustment adjustment({.agents = 5}, Stream(5, 0));
  for (int minute = 0; minute < 20; ++minute) adjustment.next(minute);
  StateWriter writer;
  adjustment.save(writer);
  Ga3cAdjustment again({}, Stream());
  StateReader reader(writer.bytes());
  again.load(reader);
  EXPECT_EQ(again.kept(), adjustment.kept());
  EXPECT_EQ(again.next(1), adjustment.next(1));
}

}  // namespace
}  // namespace tandem
