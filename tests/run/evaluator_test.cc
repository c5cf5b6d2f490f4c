#include "tandem/run/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/eventually.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kNoLimit = 1e9;

/// A snapshot whose games all have this return.
Checkpoint snapshot(float value) {
  Checkpoint checkpoint;
  checkpoint.add_tensor("value", {1}, std::vector<float>{value});
  checkpoint.pieces["replay"] = [](const TakePiece&) {};
  return checkpoint;
}

/// Two games: one has the snapshot's number as its return, the other has 2 more.
Evaluation two_games(const Checkpoint& checkpoint) {
  const double value = checkpoint.tensor("value")[0];
  return summarise({{0, value, 10}, {1, value + 2, 10}});
}

class EvaluatorTest : public testing::Test {
 protected:
  EvaluatorTest() {
    fs::create_directories(paths_.folder);
    options_.every = 100;
    options_.share = kNoLimit;
    options_.collect_share = 1;
    options_.play = [this](const Checkpoint& checkpoint, int threads,
                           const std::function<void(int)>& after_step) {
      ++plays_;
      threads_ = threads;
      if (on_play_) on_play_(checkpoint.tensor("value")[0]);
      after_step(1);
      after_step(2);
      return two_games(checkpoint);
    };
    options_.warn = [this](const std::string& what) {
      const std::lock_guard lock(warnings_mutex_);
      warnings_.push_back(what);
    };
  }

  std::unique_ptr<Evaluator> start(std::optional<std::int64_t> resumed_at = std::nullopt) {
    auto best = read_best(paths_.best(), options_.warn);
    return std::make_unique<Evaluator>(options_, paths_, resumed_at, std::move(best));
  }

  /// Offers a snapshot and waits for its result.
  static EvaluationRecord evaluated(Evaluator& evaluator, float value, std::int64_t step) {
    evaluator.offer(snapshot(value), step, 0.5);
    while (true) {
      const auto finished = evaluator.take_finished();
      if (!finished.empty()) return finished.back();
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  static void finish(
      Evaluator& evaluator, const StopRequested& stop = [] { return false; }) {
    evaluator.finish(stop, [](std::int64_t, int) {});
  }

  std::vector<std::int64_t> steps_on_disk() const {
    std::ifstream file(paths_.evaluations());
    std::vector<std::int64_t> steps;
    for (std::string line; std::getline(file, line);) {
      const auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (entry.is_object()) steps.push_back(entry.at("step").get<std::int64_t>());
    }
    return steps;
  }

  FoundCheckpoint best_on_disk() const { return find_latest(paths_.best(), {}); }

  std::vector<std::string> warnings() {
    const std::lock_guard lock(warnings_mutex_);
    return warnings_;
  }

  TemporaryFolder folder_;
  RunPaths paths_{folder_.path() / "run"};
  EvaluatorOptions options_;
  std::function<void(float value)> on_play_;
  std::atomic<int> plays_ = 0;
  std::atomic<int> threads_ = 0;

 private:
  std::mutex warnings_mutex_;
  std::vector<std::string> warnings_;
};

TEST_F(EvaluatorTest, KeepsEachResultAndTheBestSnapshot) {
  auto evaluator = start();
  const auto first = evaluated(*evaluator, 5, 100);
  EXPECT_EQ(first.step, 100);
  EXPECT_EQ(first.episodes, 2);
  EXPECT_EQ(first.mean, 6);  // of 5 and 7
  EXPECT_DOUBLE_EQ(first.deviation, std::sqrt(2.0));
  EXPECT_EQ(first.least, 5);
  EXPECT_EQ(first.most, 7);
  EXPECT_THAT(first.returns, ElementsAre(5, 7));
  EXPECT_EQ(first.training_seconds, 0.5);
  EXPECT_EQ(evaluated(*evaluator, 8, 200).mean, 9);
  EXPECT_EQ(evaluated(*evaluator, 1, 300).mean, 2);
  EXPECT_EQ(evaluated(*evaluator, 8, 400).mean, 9);  // as good as the best, but later
  EXPECT_EQ(evaluator->best()->step, 200);

  EXPECT_THAT(steps_on_disk(), ElementsAre(100, 200, 300, 400));
  const auto best = best_on_disk();
  EXPECT_EQ(best.step, 200);
  EXPECT_EQ(best.checkpoint.tensor("value")[0], 8);
  EXPECT_THAT(best.checkpoint.pieces, IsEmpty());
  EXPECT_EQ(std::distance(fs::directory_iterator(paths_.best()), fs::directory_iterator()), 1);
  EXPECT_EQ(read_best(paths_.best(), options_.warn)->mean, 9);
  const auto read = read_evaluations(paths_.evaluations());
  ASSERT_THAT(read, SizeIs(4));
  EXPECT_EQ(to_json(read.front()), to_json(first));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(EvaluatorTest, IsDueOnceForEachMultipleThatIsPassed) {
  auto evaluator = start();
  EXPECT_FALSE(evaluator->due(99));
  EXPECT_TRUE(evaluator->due(100));
  EXPECT_TRUE(evaluator->due(130));
  evaluator->offer(snapshot(1), 130, 0.5);
  EXPECT_FALSE(evaluator->lacks(130));
  EXPECT_TRUE(evaluator->lacks(131));
  EXPECT_FALSE(evaluator->due(199));
  EXPECT_TRUE(evaluator->due(450));
}

// Seen failing with a pause of the price alone.
TEST_F(EvaluatorTest, AsksForDearSnapshotsSeldom) {
  options_.collect_share = 0.1;
  auto evaluator = start();
  ASSERT_TRUE(evaluator->due(100));
  std::this_thread::sleep_for(milliseconds(30));  // the price
  const Stopwatch watch;
  evaluator->offer(snapshot(1), 100, 0.5);
  ASSERT_TRUE(eventually([&] { return evaluator->due(200); }));
  EXPECT_GE(watch.seconds(), 0.26);  // 9 times as long; a clock may be a little coarse
}

// Seen failing when the one that waits stayed.
TEST_F(EvaluatorTest, ANewerSnapshotReplacesTheOneThatWaits) {
  std::binary_semaphore begun(0);
  std::binary_semaphore goes_on(0);
  on_play_ = [&](float value) {
    if (value != 1) return;
    begun.release();
    goes_on.acquire();
  };
  auto evaluator = start();
  evaluator->offer(snapshot(1), 100, 0.5);
  begun.acquire();
  evaluator->offer(snapshot(2), 200, 0.5);
  evaluator->offer(snapshot(3), 300, 0.5);
  goes_on.release();
  ASSERT_TRUE(eventually([&] { return plays_ >= 2; }));
  finish(*evaluator);
  EXPECT_THAT(steps_on_disk(), ElementsAre(100, 300));
}

// A rest of hours must not keep a run from ending. Seen hanging with a sleep in place of the wait.
TEST_F(EvaluatorTest, EndsInTheMiddleOfARest) {
  options_.share = 1e-9;
  const Stopwatch watch;
  {
    auto evaluator = start();
    evaluator->offer(snapshot(1), 100, 0.5);
    ASSERT_TRUE(eventually([&] { return plays_ > 0; }));
  }
  EXPECT_LT(watch.seconds(), 5);
  EXPECT_THAT(steps_on_disk(), IsEmpty());
}

// Seen failing when finish() dropped the snapshot that was being played, and when it played one
// again that had been recorded already.
TEST_F(EvaluatorTest, FinishPlaysAllThatIsLeftWithAllThreads) {
  options_.share = 1e-9;
  options_.threads = 3;
  auto evaluator = start();
  evaluator->offer(snapshot(1), 100, 0.5);
  ASSERT_TRUE(eventually([&] { return plays_ > 0; }));
  evaluator->offer(snapshot(2), 170, 0.5);
  std::vector<std::int64_t> shown;
  evaluator->finish([] { return false; },
                    [&](std::int64_t step, int ended) { shown.push_back(step + ended); });
  EXPECT_EQ(threads_, 3);
  EXPECT_THAT(shown, ElementsAre(100, 101, 102, 170, 171, 172));
  EXPECT_THAT(steps_on_disk(), ElementsAre(100, 170));
  EXPECT_EQ(evaluator->best()->step, 170);

  // These games never rest, but the thread does after them.
  options_.play = [](const Checkpoint& checkpoint, int, const std::function<void(int)>&) {
    return two_games(checkpoint);
  };
  auto again = start(170);
  evaluated(*again, 3, 200);
  finish(*again);
  EXPECT_THAT(steps_on_disk(), ElementsAre(100, 170, 200));
}

// Seen failing when finish() asked for a stop between two snapshots only.
TEST_F(EvaluatorTest, AStopEndsFinishWithinAGame) {
  std::atomic<bool> stop = false;
  options_.share = 1e-9;
  options_.play = [&](const Checkpoint& checkpoint, int, const std::function<void(int)>& step) {
    for (int i = 0; i < 1'000; ++i) {
      if (i == 10) stop = true;
      step(0);
    }
    return two_games(checkpoint);
  };
  auto evaluator = start();
  evaluator->offer(snapshot(1), 100, 0.5);
  finish(*evaluator, [&] { return stop.load(); });
  EXPECT_TRUE(stop);
  EXPECT_THAT(steps_on_disk(), IsEmpty());
}

// Seen failing when the error ended the thread, and when each error was told.
TEST_F(EvaluatorTest, AnErrorIsToldOnceAndEndsNothing) {
  on_play_ = [](float value) {
    if (value == 1 || value == 3) throw Error("the pole broke");
  };
  auto evaluator = start();
  for (const float value : {1.0F, 3.0F}) {
    const int before = plays_;
    evaluator->offer(snapshot(value), 100 * static_cast<int>(value), 0.5);
    ASSERT_TRUE(eventually([&] { return plays_ > before; }));
  }
  EXPECT_EQ(evaluated(*evaluator, 4, 400).mean, 5);
  ASSERT_THAT(warnings(), SizeIs(1));
  EXPECT_THAT(warnings()[0],
              HasSubstr("step 100 failed, and the training goes on: the pole broke"));
  EXPECT_THAT(warnings()[0], HasSubstr("run.evaluate_steps=0"));
  EXPECT_THAT(steps_on_disk(), ElementsAre(400));
}

TEST_F(EvaluatorTest, ReturnsThatAreNotFiniteAreAnError) {
  auto evaluator = start();
  evaluator->offer(snapshot(std::numeric_limits<float>::infinity()), 100, 0.5);
  ASSERT_TRUE(eventually([&] { return plays_ > 0; }));
  EXPECT_EQ(evaluated(*evaluator, 1, 200).mean, 2);
  EXPECT_THAT(steps_on_disk(), ElementsAre(200));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("not finite")));
}

// A run that was killed at step 250 and had evaluated step 300: its line goes, the best stays, and
// step 300 is due again. Seen failing when the next evaluation was counted from the resumed step.
TEST_F(EvaluatorTest, AResumedRunKeepsALaterBestAndRepeatsItsEvaluation) {
  {
    auto evaluator = start();
    evaluated(*evaluator, 1, 100);
    evaluated(*evaluator, 7, 300);
  }
  auto resumed = start(250);
  EXPECT_THAT(steps_on_disk(), ElementsAre(100));
  EXPECT_EQ(resumed->best()->step, 300);
  EXPECT_TRUE(resumed->due(250));  // for 200, which the first part had left out
  EXPECT_EQ(evaluated(*resumed, 2, 260).mean, 3);
  EXPECT_EQ(best_on_disk().step, 300);
  EXPECT_EQ(evaluated(*resumed, 9, 300).mean, 10);
  EXPECT_EQ(best_on_disk().checkpoint.tensor("value")[0], 9);
  EXPECT_THAT(steps_on_disk(), ElementsAre(100, 260, 300));
}

TEST_F(EvaluatorTest, AnotherProtocolReplacesTheBestWithAWarning) {
  {
    auto evaluator = start();
    evaluated(*evaluator, 7, 100);
  }
  options_.protocol.actions = "greedy";
  auto resumed = start(100);
  ASSERT_THAT(warnings(), SizeIs(1));
  EXPECT_THAT(warnings()[0], HasSubstr("sampled actions"));
  EXPECT_THAT(warnings()[0], HasSubstr(paths_.best().string()));
  evaluated(*resumed, 1, 200);
  EXPECT_EQ(best_on_disk().step, 200);
  EXPECT_EQ(resumed->best()->protocol.actions, "greedy");
}

TEST_F(EvaluatorTest, ADamagedBestIsToldAndReplaced) {
  {
    auto evaluator = start();
    evaluated(*evaluator, 7, 100);
  }
  fs::resize_file(best_on_disk().folder / "tensors.safetensors", 3);
  auto resumed = start(100);
  ASSERT_THAT(warnings(), SizeIs(1));
  EXPECT_THAT(warnings()[0], HasSubstr("tensors.safetensors"));
  evaluated(*resumed, 1, 200);
  EXPECT_EQ(best_on_disk().step, 200);
}

/// Evaluates better and better snapshots until the process is killed.
[[noreturn]] void evaluate_for_ever(EvaluatorOptions options, const RunPaths& paths) {
  options.play = [](const Checkpoint& checkpoint, int, const std::function<void(int)>&) {
    return two_games(checkpoint);
  };
  Evaluator evaluator(std::move(options), paths, std::nullopt, std::nullopt);
  for (std::int64_t step = 100;; step += 100) {
    evaluator.offer(snapshot(static_cast<float>(step)), step, 0.5);
    while (evaluator.take_finished().empty()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
}

// Seen failing when the line was written before the checkpoint, and when the earlier best was
// removed first.
TEST_F(EvaluatorTest, TheBestSurvivesAKillAtAnyMoment) {
  for (int round = 0; round < 12; ++round) {
    fs::remove_all(paths_.folder);
    fs::create_directories(paths_.folder);
    const pid_t process = fork();
    if (process == 0) evaluate_for_ever(options_, paths_);
    const bool evaluates = eventually([&] { return !steps_on_disk().empty(); });
    std::this_thread::sleep_for(milliseconds(3 * round));
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    ASSERT_TRUE(evaluates);

    const auto best = read_best(paths_.best(), options_.warn);
    ASSERT_TRUE(best.has_value());
    EXPECT_GE(best->step, steps_on_disk().back());
    EXPECT_EQ(best->mean, static_cast<double>(best->step) + 1);
    EXPECT_THAT(warnings(), IsEmpty());
  }
}

}  // namespace
}  // namespace tandem
