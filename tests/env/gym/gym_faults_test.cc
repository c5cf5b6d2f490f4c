// Environments and processes that fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tandem/env/gym/gym_group.h"
#include "tandem/io/temporary_folder.h"
#include "tests/env/gym/gym_play.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using GymFaultsTest = GymTest;

struct Case {
  Fault fault;
  std::vector<std::string> words;
};

// These leave the worker alive: the environment's own error, and the others go on.
TEST_F(GymFaultsTest, AnEnvironmentThatLiesIsNamed) {
  const std::vector<Case> cases = {
      {kRaise, {"ValueError: no cherries in the bowl", "gym_test_envs.py", "in complain"}},
      {kShape, {"an observation has the shape (3,)", "Box(-inf, inf, (4,), float64)"}},
      {kDtype, {"an observation has the dtype <U1", "Box(-inf, inf, (4,), float64)"}},
      {kNanReward, {"the reward nan", "not finite"}},
      {kNoReward, {"the reward None", "no number"}},
      {kFour, {"step() returned 4 values", "terminated, truncated"}},
      {kNanObservation, {"not finite"}},
      {kSystemExit, {"SystemExit: enough"}},
      {kLongError, {"RuntimeError: cherries", "left out", "and the last word"}},
      // It comes last, because the space stays so.
      {kNewActions, {"the action space was Discrete(20) at the start and is Discrete(3) now"}},
  };
  GymPlay play(2, {.workers = 1});
  for (const auto& [fault, words] : cases) {
    for (const auto& seen : play.reset({0, 1})) EXPECT_EQ(seen.error, "") << fault;
    const auto seen = play.step({0, 1}, {{fault}, {kNothing}}, true);
    for (const auto& word : words) EXPECT_THAT(seen[0].error, HasSubstr(word));
    EXPECT_THAT(seen[0].error, Not(HasSubstr("tandem_worker")));
    EXPECT_EQ(seen[1].error, "") << fault;
    EXPECT_EQ(seen[1].frame[2], 1) << fault;
  }
}

TEST_F(GymFaultsTest, PrintsDoNotDisturb) {
  GymPlay play(2, {.workers = 1});
  play.reset({0, 1});
  const auto seen = play.step({0, 1}, {{kPrint}, {kPrint}});
  EXPECT_EQ(seen[0].frame[2], 1);
  EXPECT_EQ(seen[1].error, "");
  EXPECT_EQ(play.step_first(kNothing).frame[2], 2);
}

// Seen failing with lose() called before collect(): the answers that were there got lost.
TEST_F(GymFaultsTest, AKilledWorkerIsNamedAndComesBackWithTheNextReset) {
  GymPlay play(4, {.workers = 2});
  const auto before = play.reset({0, 1, 2, 3});
  const auto seen = play.step({0, 1, 2, 3}, {{kNothing}, {kKill}, {kNothing}, {kNothing}});
  EXPECT_EQ(seen[0].error, "") << "it had answered before the kill";
  EXPECT_THAT(seen[1].error, HasSubstr("of this and 1 other environment was killed by signal 9 "
                                       "(SIGKILL); a lack of memory is a usual cause"));
  EXPECT_EQ(seen[2].error, "");
  EXPECT_EQ(seen[3].error, "");

  // Both of its environments have lost their games; the others go on.
  const auto next = play.step({0, 1, 2, 3}, {{0}, {0}, {0}, {0}});
  EXPECT_THAT(next[0].error, HasSubstr("SIGKILL"));
  EXPECT_THAT(next[1].error, HasSubstr("SIGKILL"));
  EXPECT_EQ(next[2].frame[2], 2);

  const auto again = play.reset({1});
  EXPECT_EQ(again[0].error, "");
  EXPECT_NE(again[0].frame[0], before[1].frame[0]) << "another seed, so other games";
  EXPECT_NE(again[0].frame[3], before[1].frame[3]) << "another process";
  EXPECT_THAT(play.step_first(kNothing).error, HasSubstr("SIGKILL")) << "it was not reset";
  EXPECT_EQ(play.reset({0})[0].error, "");
  const auto all = play.step({0, 1, 2, 3}, {{0}, {0}, {0}, {0}});
  for (const auto& one : all) EXPECT_EQ(one.error, "");
}

TEST_F(GymFaultsTest, AWorkerKilledBetweenStepsIsNamed) {
  GymPlay play(1);
  const auto process = play.reset({0})[0].frame[3];
  kill(static_cast<pid_t>(process), SIGTERM);
  ASSERT_TRUE(soon_gone(static_cast<std::int64_t>(process)));
  EXPECT_THAT(play.step_first(kNothing).error, HasSubstr("signal 15 (SIGTERM)"));
  EXPECT_EQ(play.reset({0})[0].error, "");
}

// Seen failing when the first reset told the death of the worker.
TEST_F(GymFaultsTest, AResetFindsThatItsWorkerIsGone) {
  GymPlay play(1);
  const auto process = play.reset({0})[0].frame[3];
  kill(static_cast<pid_t>(process), SIGTERM);
  ASSERT_TRUE(soon_gone(static_cast<std::int64_t>(process)));
  EXPECT_EQ(play.reset({0})[0].error, "");
}

// A start may take long. Seen failing with a start for each environment.
TEST_F(GymFaultsTest, AWorkerThatCannotStartAgainIsTriedOncePerReset) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "refused";
  GymPlay play(4, {.workers = 1});
  play.reset({0, 1, 2, 3});
  play.step_first(kKill);
  setenv("REFUSED_FILE", file.c_str(), 1);
  for (const auto& seen : play.reset({0, 1, 2, 3})) {
    EXPECT_THAT(seen.error, HasSubstr("a new one could not be started"));
    EXPECT_THAT(seen.error, HasSubstr("the cherry trees are bare"));
  }
  unsetenv("REFUSED_FILE");
  EXPECT_EQ(std::filesystem::file_size(file), std::string("refused\n").size());
  for (const auto& seen : play.reset({0, 1, 2, 3})) EXPECT_EQ(seen.error, "");
}

TEST_F(GymFaultsTest, AWorkerThatExitsIsNamed) {
  GymPlay play(1);
  play.reset({0});
  EXPECT_THAT(play.step_first(kExit).error, HasSubstr("of this environment ended by itself with "
                                                      "code 7"));
}

// Seen failing with a deadline that attend() moved on at each look.
TEST_F(GymFaultsTest, AWorkerThatHangsIsEndedAndNamed) {
  for (const auto fault : {kHang, kHangInC}) {
    GymPlay play(2, {.workers = 2, .timeout_seconds = 1.5});
    const auto process = static_cast<std::int64_t>(play.reset({0, 1})[0].frame[3]);
    const auto seen = play.step({0, 1}, {{fault}, {kNothing}});
    EXPECT_THAT(seen[0].error, HasSubstr("did not answer for 1.5 seconds (env.timeout_seconds)"));
    EXPECT_EQ(seen[1].error, "");
    EXPECT_TRUE(soon_gone(process));
    EXPECT_EQ(play.reset({0})[0].error, "");
  }
}

// A batch may take longer than env.timeout_seconds if each of its steps does not.
// Seen failing with an attend() that did not look for progress.
TEST_F(GymFaultsTest, SlowStepsAreNoHang) {
  GymPlay play(6, {.workers = 1, .timeout_seconds = 1.5});  // six steps take 1.8 seconds
  play.reset({0, 1, 2, 3, 4, 5});
  const auto seen =
      play.step({0, 1, 2, 3, 4, 5}, {{kSlow}, {kSlow}, {kSlow}, {kSlow}, {kSlow}, {kSlow}});
  for (const auto& one : seen) EXPECT_EQ(one.error, "");
}

TEST_F(GymFaultsTest, AWorkerThatDiesAtAPictureIsNamed) {
  GymPlay play(2, {.workers = 1});
  const auto process = static_cast<pid_t>(play.reset({0, 1})[0].frame[3]);
  play.begin({1}, {{kSlow}});
  kill(process, SIGKILL);
  EXPECT_THROW(std::ignore = play.group().render(0), Error);
  EXPECT_THAT(play.finish({1})[0].error, HasSubstr("SIGKILL"));
}

}  // namespace
}  // namespace tandem
