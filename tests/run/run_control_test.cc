// RunControl, with the run that answers it.
#include "tandem/run/run_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/run/training_run.h"
#include "tests/support/error_of.h"
#include "tests/support/eventually.h"

namespace tandem {
namespace {

using testing::HasSubstr;

class RunControlTest : public testing::Test {
 protected:
  RunControlTest()
      : run_({.system = "paac",
              .env = "cartpole",
              .steps_budget = 1000,
              .progress = nullptr,
              .control = control_},
             RunDirectory::create(folder_.path() / "run")) {
    run_.record({.steps = 10});
  }

  [[nodiscard]] std::string name_of(RunControl::Request request) {
    const auto found = control_->wait_for(request, 0);
    return found ? found->filename().string() : "none";
  }

  TemporaryFolder folder_;
  std::shared_ptr<RunControl> control_ = std::make_shared<RunControl>();
  TrainingRun run_;
};

TEST_F(RunControlTest, ARequestMakesACheckpointDue) {
  EXPECT_FALSE(run_.checkpoint_due());
  const auto request = control_->ask();
  EXPECT_TRUE(run_.checkpoint_due());
  EXPECT_TRUE(run_.write_due());
  EXPECT_EQ(name_of(request), "none");
  Checkpoint checkpoint;
  run_.save(checkpoint);
  EXPECT_FALSE(run_.checkpoint_due());
  EXPECT_EQ(name_of(request), "000000000010");
}

TEST_F(RunControlTest, ACheckpointOfTheSameStepAnswersAnotherRequest) {
  Checkpoint checkpoint;
  run_.save(checkpoint);
  const auto request = control_->ask();
  Checkpoint same;
  run_.save(same);
  EXPECT_FALSE(run_.checkpoint_due());
  EXPECT_EQ(name_of(request), "000000000010");
}

// Seen failing when write() took up the requests instead of stamp(): the state is older than they.
TEST_F(RunControlTest, ACheckpointAnswersNoRequestThatCameAfterItsState) {
  Checkpoint checkpoint;
  const auto step = run_.stamp(checkpoint);
  const auto request = control_->ask();
  run_.record({.steps = 5});
  run_.write(checkpoint, *step);
  EXPECT_EQ(name_of(request), "none");
  EXPECT_TRUE(run_.checkpoint_due());
  Checkpoint next;
  run_.save(next);
  EXPECT_EQ(name_of(request), "000000000015");
}

TEST_F(RunControlTest, TheLastCheckpointAnswersRequestsAtTheEnd) {
  Checkpoint checkpoint;
  run_.save(checkpoint);
  const auto request = control_->ask();
  run_.finish("abc");
  EXPECT_EQ(name_of(request), "000000000010");
  EXPECT_EQ(control_->save().filename(), "000000000010");
}

// Seen hanging when fail() did not tell the control.
TEST_F(RunControlTest, AnErrorOfTheRunEndsAWait) {
  auto waiting = std::async(std::launch::async, [&] { control_->save(); });
  EXPECT_TRUE(eventually([&] { return control_->asked(); }));
  run_.fail(Error("the disk burns"));
  EXPECT_THAT(error_of([&] { waiting.get(); }), HasSubstr("the disk burns"));
}

TEST_F(RunControlTest, CountsSteps) {
  EXPECT_EQ(control_->steps(), 10);
  run_.record({.steps = 5});
  EXPECT_EQ(control_->steps(), 15);
}

}  // namespace
}  // namespace tandem
