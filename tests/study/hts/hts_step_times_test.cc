#include "tandem/study/hts/hts_step_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tandem {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

StepTimesRow made_row() {
  return {.scenario = "pong",
          .recorded = 4000,
          .file = {0.0002, 0.0001},
          .step = {0.00025, 0.0005},
          .a2c = {.actor_seconds = 1e-6, .claimed = 100, .simulated = 200, .measured = 50},
          .hts = {.actor_seconds = 2e-6, .claimed = 300, .simulated = 500, .measured = 175}};
}

TEST(HtsStepTimes, AreARowOfTheTable) {
  EXPECT_EQ(step_times_csv({.envs = 8, .alpha = 64}, {made_row()}).substr(0, 40),
            "scenario,envs,alpha,recorded_steps,recor");
  EXPECT_THAT(step_times_csv({.envs = 8, .alpha = 64}, {made_row()}),
              HasSubstr("\npong,8,64,4000,0.0002,0.0001,0.00025,0.25,1e-06,100,200,50,2e-06,300,"
                        "500,175,3,2.5,3.5\n"));
  const auto table = step_times_table({made_row()}, 100);
  EXPECT_THAT(table, StartsWith("SCENARIO  MEAN STEP"));
  EXPECT_THAT(table, HasSubstr("pong      250.0 us   0.25             50   175     3.50"));
}

// Seen failing with the rate of the formula alone, which is below 0 here.
TEST(HtsStepTimes, HaveNoClaimOfFewVeryUnequalTimes) {
  const Synchronisation few{.envs = 4, .alpha = 1, .step = {0.003, 0.006}};
  EXPECT_TRUE(std::isnan(claimed_rate(few)));
  const Synchronisation many{.envs = 16, .alpha = 1, .step = {0.003, 0.003}};
  EXPECT_DOUBLE_EQ(claimed_rate(many), 1 / expected_seconds_per_state(many));
  const Synchronisation equal{.envs = 16, .alpha = 8, .step = {0.003, 0}};
  EXPECT_DOUBLE_EQ(claimed_rate(equal), 16 / 0.003);
  auto row = made_row();
  row.a2c.claimed = claimed_rate(few);
  EXPECT_THAT(step_times_table({row}, 100), HasSubstr("3.50     -           2.50"));
}

TEST(StepTimes, HaveAMeanAndADeviation) {
  const auto found = step_time_of(std::vector<double>{1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(found.mean, 3);
  EXPECT_DOUBLE_EQ(found.deviation * found.deviation, 14.0 / 3);
  EXPECT_EQ(step_time_of(std::vector<double>{2}).deviation, 0);
}

}  // namespace
}  // namespace tandem
