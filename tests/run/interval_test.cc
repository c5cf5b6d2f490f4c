#include "tandem/run/interval.h"

#include <gtest/gtest.h>

#include <array>

namespace tandem {
namespace {

// Seen failing when the measures of the last report alone counted.
TEST(Interval, ASystemsOwnNumbersAreThoseOfAllReports) {
  Interval interval;
  for (int report = 1; report <= 2; ++report) {
    const Measure measure{"system/mean", 10.0 * report, 5};
    Histogram times;
    times.add(report, 10);
    const Spread spread{"system/time", &times};
    UpdateReport update;
    update.measures = {&measure, 1};
    update.spreads = {&spread, 1};
    interval.add(update);
  }
  const auto line = interval.scalars(kActorCriticMetrics, 1);
  EXPECT_DOUBLE_EQ(line["system/mean"], 3);
  EXPECT_NEAR(line["system/time_median"], 1, 0.05);
  EXPECT_NEAR(line["system/time_p99"], 2, 0.1);
}

// Actors and learners may report separately. Seen failing when measures were matched by position
// instead of by key.
TEST(Interval, ReportsMayHaveDifferentNumbers) {
  Interval interval;
  const std::array<Measure, 2> first{{{"system/a", 1, 1}, {"system/b", 2, 1}}};
  const std::array<Measure, 2> second{{{"system/b", 4, 1}, {"system/c", 8, 1}}};
  for (const auto& measures : {first, second}) {
    UpdateReport report;
    report.measures = measures;
    interval.add(report);
  }
  const auto line = interval.scalars(kActorCriticMetrics, 1);
  EXPECT_EQ(line["system/a"], 1);
  EXPECT_EQ(line["system/b"], 3);
  EXPECT_EQ(line["system/c"], 8);
}

// Seen failing when a learning rate of 0 was logged.
TEST(Interval, ActingAloneIsNoUpdate) {
  Interval interval;
  interval.add({.steps = 5, .updates = 0});
  EXPECT_EQ(interval.updates(), 0);
  auto line = interval.scalars(kActorCriticMetrics, 1);
  EXPECT_FALSE(line.contains("optimizer/learning_rate"));
  interval.add({.gradient_norm = 2, .learning_rate = 0.5});
  interval.add({.steps = 5, .updates = 0});
  line = interval.scalars(kActorCriticMetrics, 1);
  EXPECT_EQ(line["optimizer/gradient_norm"], 2);
  EXPECT_EQ(line["optimizer/learning_rate"], 0.5);
}

// Some systems have no measures of their own.
TEST(Interval, NoNumbersOfItsOwnAreNone) {
  Interval interval;
  UpdateReport update;
  update.steps = 5;
  interval.add(update);
  const auto line = interval.scalars(kActorCriticMetrics, 1);
  EXPECT_GT(line["rate/steps_per_second"].get<double>(), 0);
  for (const auto& [key, value] : line.items()) EXPECT_FALSE(key.starts_with("system/")) << key;
}

}  // namespace
}  // namespace tandem
