#include "tandem/run/interval.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// Seen failing with the last report's numbers alone.
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

// Most systems have none.
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
