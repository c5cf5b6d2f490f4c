#include "tandem/study/forecast.h"

#include <gtest/gtest.h>

#include "tandem/systems/a3c/a3c_system.h"
#include "tandem/systems/hts/hts_system.h"
#include "tandem/systems/paac/paac_system.h"

namespace tandem {
namespace {

const StepTimes kBusy{.step = {200e-6, 0}, .busy = 1};
const StepTimes kAsleep{.step = {2e-3, 0}, .busy = 0};

// A step takes 100 us of a core, and 200 us more for its environment.
TEST(Forecast, CoresShareTheWork) {
  const SystemCosts costs{.steps_per_second = 2 / 100e-6, .processor_seconds = 100e-6};
  for (const double threads : {2.0, 16.0}) {
    const ThreadPattern pattern{.stepping = threads, .computing = threads};
    EXPECT_NEAR(forecast_steps_per_second(pattern, kBusy, costs, 2), 2 / 300e-6, 1e-6);
  }
}

// One thread cannot use two cores.
TEST(Forecast, AThreadGoesThroughBothPartsOneAfterTheOther) {
  const SystemCosts costs{.steps_per_second = 1 / 100e-6, .processor_seconds = 100e-6};
  EXPECT_NEAR(forecast_steps_per_second({}, kBusy, costs, 2), 1 / 300e-6, 1e-6);
}

// Of HTS-RL with one environment: its learner has the second core. Seen failing when the forecast
// ignored learns_beside.
TEST(Forecast, LearningBesideTheOnlyThreadTakesTheOtherCore) {
  const SystemCosts costs{.steps_per_second = 1 / 150e-6, .processor_seconds = 220e-6};
  const auto rate = [&](const StepTimes& env) {
    return forecast_steps_per_second({.learns_beside = true}, env, costs, 2);
  };
  EXPECT_NEAR(rate(kBusy), 2 / 420e-6, 1e-6);
  EXPECT_NEAR(rate({.step = {50e-6, 0}, .busy = 1}), 1 / 150e-6, 1e-6);  // it learns all the time
  EXPECT_NEAR(rate(kAsleep), 1 / 2e-3, 1e-6);                            // it waits all the time
}

TEST(Forecast, WhoSleepsNeedsNoCore) {
  const SystemCosts costs{.steps_per_second = 20000, .processor_seconds = 100e-6};
  const ThreadPattern pattern{.stepping = 16, .computing = 16};
  EXPECT_NEAR(forecast_steps_per_second(pattern, kAsleep, costs, 2), 16 / 2.1e-3, 1e-6);
  // The rate grows until the cores are busy.
  const ThreadPattern many{.stepping = 1000, .computing = 1000};
  EXPECT_NEAR(forecast_steps_per_second(many, kAsleep, costs, 2), 20000, 1e-6);
}

// Seen failing when the forecast ignored meeting_steps.
TEST(Forecast, MeetingsCostTheSlowestThreadsTime) {
  const SystemCosts costs{.steps_per_second = 1e6, .processor_seconds = 1e-6};
  const StepTimes env{.step = {2e-3, 2e-3}, .busy = 0};
  const auto rate = [&](double meeting_steps) {
    return forecast_steps_per_second(
        {.stepping = 16, .meeting_steps = meeting_steps, .computing = 16}, env, costs, 2);
  };
  // The longest of 16 exponential times is 3.38 times their mean; the longest of 16 long sums is
  // hardly above theirs.
  EXPECT_NEAR(rate(1) / rate(0), 1 / 3.38, 0.02);
  EXPECT_GT(rate(1000), 0.93 * rate(0));
}

TEST(Forecast, PatternsAreThoseOfTheSystems) {
  PaacSystem paac;
  const auto groups = paac.thread_pattern(2);  // two groups of 16, a worker each
  EXPECT_EQ(groups.stepping, 2);
  EXPECT_EQ(groups.meeting_steps, 16 * 5);
  EXPECT_EQ(groups.computing, 2);
  paac.config.workers = 32;
  paac.config.envs_per_group = 32;
  const auto each = paac.thread_pattern(32);  // each environment has a worker; they meet each step
  EXPECT_EQ(each.stepping, 32);
  EXPECT_EQ(each.meeting_steps, 1);
  EXPECT_EQ(each.computing, 1);
  paac.config.envs = 1;
  paac.config.envs_per_group = 1;
  const auto single = paac.thread_pattern(2);  // the second worker has nothing to step
  EXPECT_EQ(single.stepping, 1);               // seen failing with 2
  EXPECT_EQ(single.meeting_steps, 5);

  HtsSystem hts;
  hts.config.envs = 32;
  hts.config.executors = 8;
  hts.config.alpha = 5;
  EXPECT_EQ(hts.thread_pattern(2).stepping, 8);
  EXPECT_EQ(hts.thread_pattern(2).meeting_steps, 4 * 5);
  EXPECT_TRUE(hts.thread_pattern(2).learns_beside);

  const A3cSystem a3c;
  EXPECT_EQ(a3c.thread_pattern(2).stepping, 16);
  EXPECT_EQ(a3c.thread_pattern(2).meeting_steps, 0);
}

}  // namespace
}  // namespace tandem
