// A run whose folder is moved while it trains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "tandem/base/error.h"
#include "tests/run/handmade_run.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

class MovedRunTest : public HandmadeRunTest {
 protected:
  static UpdateReport report() {
    return {.steps = 160, .loss = {.samples = 160}, .gradient_norm = 3, .episodes = {}};
  }

  void move_away() const { std::filesystem::rename(paths_.folder, elsewhere_.folder); }

  const RunPaths elsewhere_{folder_.path() / "elsewhere"};
};

TEST_F(MovedRunTest, NothingIsWrittenInItsPlace) {
  auto run = start();
  run->record(report());
  Checkpoint first;
  run->save(first);
  move_away();
  run->record(report());
  Checkpoint second;
  EXPECT_THAT(error_of([&] { run->save(second); }), testing::HasSubstr("was moved"));
  EXPECT_THAT(error_of([&] { run->finish("abc"); }), testing::HasSubstr(paths_.folder.string()));
  run->fail(Error("the folder is gone"));
  EXPECT_FALSE(std::filesystem::exists(paths_.folder));
  EXPECT_EQ(find_latest(elsewhere_.checkpoints(), {}).step, 160);
  EXPECT_FALSE(std::filesystem::exists(elsewhere_.result()));
}

TEST_F(MovedRunTest, ItGoesOnOnceTheFolderIsBack) {
  auto run = start();
  run->record(report());
  move_away();
  Checkpoint checkpoint;
  EXPECT_THROW(run->save(checkpoint), Error);
  std::filesystem::rename(elsewhere_.folder, paths_.folder);
  Checkpoint again;
  run->save(again);
  EXPECT_EQ(find_latest(paths_.checkpoints(), {}).step, 160);
}

// Another process may train into a new folder of the same name.
TEST_F(MovedRunTest, AnotherRunInItsPlaceIsLeftAlone) {
  auto run = start();
  run->record(report());
  move_away();
  options_.control = std::make_shared<RunControl>();
  const auto other = start();
  Checkpoint checkpoint;
  EXPECT_THAT(error_of([&] { run->save(checkpoint); }), testing::HasSubstr("was moved"));
  EXPECT_FALSE(std::filesystem::exists(paths_.checkpoints()));
  other->record(report());
  Checkpoint own;
  other->save(own);
  EXPECT_EQ(find_latest(paths_.checkpoints(), {}).step, 160);
}

TEST_F(MovedRunTest, ABestCheckpointIsNotWrittenInItsPlace) {
  std::promise<std::string> warning;
  auto said = warning.get_future();
  options_.evaluation =
      EvaluatorOptions{.every = 160,
                       .play =
                           [](const Checkpoint&, int, const std::function<void(int)>&) {
                             return summarise({{0, 1.0, 10}});
                           },
                       .share = 1e9,
                       .collect_share = 1,
                       .warn = [&](const std::string& what) { warning.set_value(what); }};
  const auto run = start();
  run->record(report());
  move_away();
  Checkpoint snapshot;
  run->save(snapshot);
  ASSERT_EQ(said.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  EXPECT_THAT(said.get(), testing::HasSubstr("was moved"));
  EXPECT_FALSE(std::filesystem::exists(paths_.folder));
}

}  // namespace
}  // namespace tandem
