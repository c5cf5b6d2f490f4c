// A run that hands snapshots to its evaluator.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/run/handmade_run.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

UpdateReport one_update() {
  return {.steps = 160, .loss = {.samples = 160}, .gradient_norm = 3, .episodes = {}};
}

using TrainingRunEvaluationTest = HandmadeRunTest;

/// The games of a snapshot all return the step at which it was made.
EvaluatorOptions returns_of_steps(std::int64_t every) {
  return {.every = every,
          .play =
              [](const Checkpoint& snapshot, int, const std::function<void(int)>&) {
                const auto steps = snapshot.part("run").at("steps").get<double>();
                return summarise({{0, steps, 10}});
              },
          .share = 1e9,
          .collect_share = 1};
}

// Seen failing when the snapshot was written as a checkpoint.
TEST_F(TrainingRunEvaluationTest, ASnapshotForAnEvaluationAloneIsNoCheckpoint) {
  options_.evaluation = returns_of_steps(300);
  std::vector<json> told;
  options_.on_evaluation = [&](const auto& line) { told.push_back(line); };
  auto run = start();
  run->record(one_update());
  EXPECT_FALSE(run->checkpoint_due());
  run->record(one_update());
  ASSERT_TRUE(run->checkpoint_due());
  Checkpoint snapshot;
  snapshot.add_blob("envs", std::vector<std::byte>(3));
  run->save(snapshot);
  EXPECT_FALSE(fs::exists(paths_.checkpoints()));
  EXPECT_FALSE(run->checkpoint_due());
  while (!run->done()) run->record(one_update());
  Checkpoint last;
  run->save(last);
  EXPECT_EQ(find_latest(paths_.checkpoints(), {}).step, 1600);
  run->finish("abc");

  const auto lines = lines_of(paths_.evaluations());
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(told, lines);
  EXPECT_EQ(lines.back()["step"], 1600);
  EXPECT_EQ(lines.back()["mean"], 1600);
  EXPECT_EQ(result()["best"], (json{{"step", 1600}, {"mean", 1600.0}}));
}

// Seen failing when the checkpoint went to the evaluator and not to the disk, and hanging when a
// checkpoint that was due kept the evaluation from being due.
TEST_F(TrainingRunEvaluationTest, ACheckpointThatIsDueServesAnEvaluationToo) {
  options_.evaluation = returns_of_steps(160);
  options_.checkpoint_minutes = 0;
  auto run = start();
  run->record(one_update());
  ASSERT_TRUE(run->checkpoint_due());
  Checkpoint checkpoint;
  checkpoint.add_blob("envs", std::vector<std::byte>(3));
  run->save(checkpoint);
  EXPECT_EQ(find_latest(paths_.checkpoints(), {}).checkpoint.blobs.count("envs"), 1U);
  while (lines_of(paths_.evaluations()).empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(find_latest(paths_.best(), {}).checkpoint.blobs.count("envs"), 1U);
}

// Seen failing when an evaluation that is due takes the last checkpoint.
TEST_F(TrainingRunEvaluationTest, ASignalLeavesACheckpointAlsoWhenAnEvaluationIsDue) {
  options_.evaluation = returns_of_steps(160);
  auto run = start();
  run->record(one_update());
  ASSERT_TRUE(run->checkpoint_due());
  stop_ = true;
  Checkpoint last;
  run->save(last);
  EXPECT_EQ(find_latest(paths_.checkpoints(), {}).step, 160);
}

// Seen failing when the last checkpoint was evaluated in every case.
TEST_F(TrainingRunEvaluationTest, ASignalEndsARunWithoutAnEvaluation) {
  options_.evaluation = returns_of_steps(1000);
  auto run = start();
  run->record(one_update());
  stop_ = true;
  Checkpoint last;
  run->save(last);
  run->finish("abc");
  EXPECT_TRUE(lines_of(paths_.evaluations()).empty());
  EXPECT_TRUE(result()["best"].is_null());
  run.reset();

  // The resumed run makes up for it, and later parts without evaluations still know the best.
  stop_ = false;
  run = resume();
  while (!run->done()) run->record(one_update());
  Checkpoint end;
  run->save(end);
  run->finish("abc");
  EXPECT_EQ(lines_of(paths_.evaluations()).size(), 1U);
  run.reset();
  options_.evaluation.reset();
  resume()->finish("abc");
  EXPECT_EQ(result()["best"]["step"], 1600);
}

}  // namespace
}  // namespace tandem
