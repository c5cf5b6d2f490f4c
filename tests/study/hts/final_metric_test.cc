#include "tandem/study/hts/final_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Evaluations after 100, 200, ... steps: policy p has five games of p and five of p + 1.
std::vector<EvaluationRecord> records(int count) {
  std::vector<EvaluationRecord> all;
  for (int p = 1; p <= count; ++p) {
    EvaluationRecord record{.step = 100 * p, .episodes = 10, .mean = p + 0.5};
    for (int game = 0; game < 10; ++game) record.returns.push_back(p + game % 2);
    all.push_back(record);
  }
  return all;
}

std::string error(const std::vector<EvaluationRecord>& all) {
  return error_of([&] { (void)final_metric(all, "runs/pong"); });
}

// Policies 3 to 12 of 12: the mean is 7.5 + 0.5. The squares of the distances sum to 100 times the
// variance of 3, ..., 12, which is 99/12 = 8.25, and of 0 and 1, which is 0.25: 850. Seen failing
// with the first ten policies.
TEST(FinalMetric, IsTheMeanOverTenGamesOfTheLastTenPolicies) {
  const auto metric = final_metric(records(12), "runs/pong");
  EXPECT_DOUBLE_EQ(metric.games.mean, 8);
  EXPECT_DOUBLE_EQ(metric.games.deviation, std::sqrt(850.0 / 99));
  EXPECT_EQ(metric.games.games.size(), 100U);
  EXPECT_EQ(metric.games.least, 3);
  EXPECT_EQ(metric.games.most, 13);
  EXPECT_EQ(metric.steps.front(), 300);
  EXPECT_EQ(metric.steps.back(), 1200);
  EXPECT_EQ(metric.means.back(), 12.5);
}

TEST(FinalMetric, SaysWhatIsMissingAndHowToTrain) {
  EXPECT_THAT(error({}), AllOf(HasSubstr("runs/pong has evaluated 0"),
                               HasSubstr("run.evaluate_steps"), HasSubstr("run.evaluate_episodes"),
                               HasSubstr("tandem train --resume runs/pong")));
  EXPECT_THAT(error(records(9)), HasSubstr("has evaluated 9"));
  auto others = records(10);
  others[3].episodes = 30;
  EXPECT_THAT(error(others), HasSubstr("played 30 with that of step 400"));
  others = records(10);
  others[4].returns.clear();
  EXPECT_THAT(error(others), HasSubstr("no return of each game of step 500"));
  others = records(10);
  others[0].protocol.start = "noop";
  EXPECT_THAT(error(others), HasSubstr("start noop at step 100"));
}

}  // namespace
}  // namespace tandem
