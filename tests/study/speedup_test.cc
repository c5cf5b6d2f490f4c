#include "tandem/study/speedup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

SpeedupRun reached(const std::string& name, int threads, double seconds, std::int64_t frames) {
  return {.name = name, .group = "", .threads = threads, .reached = {{frames, seconds}}};
}

SpeedupRun never(const std::string& name, int threads) {
  return {.name = name, .group = "", .threads = threads, .reached = {}};
}

TEST(Speedup, IsTheRatioOfMediansToTheFewestThreads) {
  const auto rows =
      speedup_rows({reached("a", 4, 25, 300), reached("b", 1, 100, 1200), reached("c", 4, 15, 300),
                    reached("d", 1, 60, 600), reached("e", 1, 80, 900), reached("f", 4, 20, 600)},
                   10);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].threads, 1);
  EXPECT_THAT(rows[0].seconds, Optional(DoubleEq(80)));
  EXPECT_THAT(rows[0].time_speedup, Optional(DoubleEq(1)));
  EXPECT_EQ(rows[1].threads, 4);
  EXPECT_EQ(rows[1].reached, 3);
  EXPECT_THAT(rows[1].time_speedup, Optional(DoubleEq(4)));
  EXPECT_THAT(rows[1].data_speedup, Optional(DoubleEq(3)));
}

// Seen failing when the median left out runs that never reached the score.
TEST(Speedup, NeverIsLaterThanAnyTime) {
  const auto rows = speedup_rows({reached("a", 1, 10, 100), never("b", 2), reached("c", 2, 5, 50),
                                  never("d", 4), never("e", 4), reached("f", 4, 1, 10)},
                                 10);
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[1].reached, 1);
  EXPECT_FALSE(rows[1].seconds) << "the mean of 5 seconds and never";
  EXPECT_FALSE(rows[2].time_speedup);
  EXPECT_FALSE(rows[2].data_speedup);
  EXPECT_THAT(speedup_table(rows, 100), HasSubstr("never"));
  EXPECT_THAT(speedup_csv(rows, 9, 2), HasSubstr("\n,4,9,3,1,,,,,2,f d e,3,1\n"));
}

TEST(Speedup, WithoutABaseThereAreNoRatios) {
  const auto rows = speedup_rows({never("a", 1), reached("b", 2, 5, 50)}, 1);
  EXPECT_THAT(rows[1].seconds, Optional(DoubleEq(5)));
  EXPECT_FALSE(rows[1].time_speedup);
}

TEST(Speedup, OnlyTheBestCount) {
  const auto rows =
      speedup_rows({never("a", 1), reached("b", 1, 9, 90), reached("c", 1, 7, 70)}, 2);
  EXPECT_THAT(rows[0].counted, ElementsAre("c", "b"));
  EXPECT_THAT(rows[0].seconds, Optional(DoubleEq(8)));
}

TEST(Speedup, TheRunsThatDoNotCountAreTold) {
  const auto rows = speedup_rows(
      {never("a", 1), reached("b", 1, 9, 90), reached("c", 1, 7, 70), never("d", 1)}, 1);
  EXPECT_EQ(rows[0].reached, 1);
  EXPECT_EQ(rows[0].all_runs, 4);
  EXPECT_EQ(rows[0].all_reached, 2);
  EXPECT_THAT(speedup_table(rows, 100), HasSubstr("2 of 4"));
  EXPECT_THAT(speedup_csv(rows, 9, 2), HasSubstr("\n,1,9,1,1,7.000,70,1.000,1.000,2,c,4,2\n"));
}

TEST(Speedup, EachGroupHasItsOwnBase) {
  auto runs = std::vector{reached("a", 1, 10, 100), reached("b", 2, 5, 100),
                          reached("c", 1, 30, 100), reached("d", 2, 10, 100)};
  runs[2].group = runs[3].group = "method=q";
  const auto rows = speedup_rows(runs, 1);
  ASSERT_EQ(rows.size(), 4);
  EXPECT_THAT(rows[1].time_speedup, Optional(DoubleEq(2)));
  EXPECT_EQ(rows[3].group, "method=q");
  EXPECT_THAT(rows[3].time_speedup, Optional(DoubleEq(3)));
  EXPECT_THAT(speedup_table(rows, 100), HasSubstr("method=q"));
  EXPECT_THAT(speedup_csv(rows, 9, 2), Not(HasSubstr("\n1,")));
}

}  // namespace
}  // namespace tandem
