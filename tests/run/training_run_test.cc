#include "tandem/run/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/run/handmade_run.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

UpdateReport update(std::span<const Episode> episodes = {}) {
  return {.steps = 160,
          .loss = {.policy_loss = 16, .value_loss = 32, .entropy = 160, .samples = 160},
          .gradient_norm = 3,
          .learning_rate = 0.02,
          .episodes = episodes,
          .seconds = {.stepping = 1, .inferring = 2, .learning = 5, .waiting = 2}};
}

class TrainingRunTest : public HandmadeRunTest {
 protected:
  TrainingRunTest() {
    options_.env = "atari:Pong";
    options_.seed = 7;
    options_.frames_per_step = 4;
    options_.log_seconds = 0;  // every update
  }
};

TEST_F(TrainingRunTest, LogsMeansOverTheInterval) {
  const std::vector<Episode> episodes = {{0, 21, 100}, {1, -21, 300}};
  auto run = start();
  run->record(update(episodes));
  const auto line = lines_of(paths_.metrics()).at(0);
  EXPECT_EQ(line["steps"], 160);
  EXPECT_EQ(line["frames"], 640);
  EXPECT_EQ(line["updates"], 1);
  EXPECT_EQ(line["episodes"], 2);
  EXPECT_DOUBLE_EQ(line["loss/policy"], 0.1);
  EXPECT_DOUBLE_EQ(line["loss/value"], 0.2);
  EXPECT_DOUBLE_EQ(line["policy/entropy"], 1);
  EXPECT_DOUBLE_EQ(line["optimizer/gradient_norm"], 3);
  EXPECT_DOUBLE_EQ(line["optimizer/learning_rate"], 0.02);
  EXPECT_DOUBLE_EQ(line["episode/return_mean"], 0);
  EXPECT_DOUBLE_EQ(line["episode/return_min"], -21);
  EXPECT_DOUBLE_EQ(line["episode/return_max"], 21);
  EXPECT_DOUBLE_EQ(line["episode/steps_mean"], 200);
  EXPECT_DOUBLE_EQ(line["time/stepping"], 0.1);
  EXPECT_DOUBLE_EQ(line["time/learning"], 0.5);
  EXPECT_GT(line["rate/steps_per_second"], 0);
  EXPECT_DOUBLE_EQ(line["rate/frames_per_second"].get<double>(),
                   4 * line["rate/steps_per_second"].get<double>());
}

TEST_F(TrainingRunTest, LogsWhatTheAlgorithmMeasuresAndNothingElse) {
  options_.metrics = kValueMethodMetrics;
  auto run = start();
  auto report = update({});
  report.loss = {.value_loss = 32, .q = 80, .epsilon = 40, .samples = 160};
  run->record(report);
  const auto line = lines_of(paths_.metrics()).at(0);
  EXPECT_DOUBLE_EQ(line["loss/value"], 0.2);
  EXPECT_DOUBLE_EQ(line["policy/q"], 0.5);
  EXPECT_DOUBLE_EQ(line["policy/epsilon"], 0.25);
  EXPECT_FALSE(line.contains("loss/policy"));
  EXPECT_FALSE(line.contains("policy/entropy"));
}

// Seen failing when each report, and not each update, left a fingerprint: the resumed run then
// lacked one.
TEST_F(TrainingRunTest, ASystemThatRepeatsLeavesAFingerprintForEachUpdate) {
  options_.repeatable = true;
  auto run = start();
  auto acting = update();
  acting.updates = 0;
  run->record(acting);
  run->record(update());
  Checkpoint checkpoint;
  run->save(checkpoint);
  run = nullptr;
  resume()->record(update());
  EXPECT_EQ(read_fingerprints(paths_.folder).size(), 2u);

  auto two = update();
  two.updates = 2;
  EXPECT_THROW(resume()->record(two), std::logic_error);
}

// Seen failing under -fsanitize=thread without the lock in record().
TEST_F(TrainingRunTest, ManyThreadsMayReport) {
  options_.steps_budget = 160 * 400;
  auto run = start();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        run->record(update(std::vector<Episode>{{0, 1, 10}}));
        EXPECT_FALSE(run->checkpoint_due());
      }
    });
  }
  threads.clear();
  EXPECT_TRUE(run->done());
  const auto lines = lines_of(paths_.metrics());
  ASSERT_EQ(lines.size(), 400);
  EXPECT_EQ(lines.back()["updates"], 400);
  EXPECT_EQ(lines.back()["episodes"], 400);
  EXPECT_EQ(lines.back()["steps"], 160 * 400);
}

TEST_F(TrainingRunTest, EndsWithTheBudget) {
  auto run = start();
  int updates = 0;
  for (; !run->done(); ++updates) run->record(update());
  EXPECT_EQ(updates, 10);
  run->finish("abc");
  const auto end = result();
  EXPECT_EQ(end["system"], "paac");
  EXPECT_EQ(end["env"], "atari:Pong");
  EXPECT_EQ(end["seed"], 7);
  EXPECT_EQ(end["steps"], 1600);
  EXPECT_EQ(end["frames"], 6400);
  EXPECT_EQ(end["why_ended"], "budget");
  EXPECT_EQ(end["parameters_sha256"], "abc");
  EXPECT_TRUE(end["mean_return"].is_null());
}

TEST_F(TrainingRunTest, TheRateLeavesOutTheSetUp) {
  using namespace std::chrono_literals;
  auto run = start();
  std::this_thread::sleep_for(100ms);
  const Stopwatch watch;
  for (int i = 0; i < 5; ++i) {
    run->record(update());
    std::this_thread::sleep_for(10ms);
  }
  const double seconds = watch.seconds();
  std::this_thread::sleep_for(100ms);
  run->finish("abc");
  const double rate = result()["steps_per_second"];
  EXPECT_GE(rate, 4 * 160 / seconds);
  EXPECT_LE(rate, 4 * 160 / 0.04);
  EXPECT_GE(result()["seconds"], seconds + 0.2);
}

TEST_F(TrainingRunTest, TheRateIsThatOfAllLegs) {
  using namespace std::chrono_literals;
  auto run = start();
  for (int i = 0; i < 5; ++i) {
    run->record(update());
    std::this_thread::sleep_for(20ms);
  }
  Checkpoint checkpoint;
  run->save(checkpoint);
  run->finish("abc");
  const double before = result()["steps_per_second"];

  run.reset();
  resume()->finish("abc");  // without a step
  EXPECT_EQ(result()["steps_per_second"], before);

  run = resume();
  for (int i = 0; i < 5; ++i) run->record(update());
  run->finish("abc");  // as many steps in hardly more time
  const double after = result()["steps_per_second"];
  EXPECT_GT(after, 1.1 * before);
  EXPECT_LT(after, 2.5 * before);
}

TEST_F(TrainingRunTest, TheLastLineOfProgressIsTheEnd) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::tmpfile(), std::fclose);
  options_.progress = stream.get();
  options_.log_seconds = 1000;
  auto run = start();
  while (!run->done()) run->record(update());
  Checkpoint checkpoint;
  run->save(checkpoint);
  run->finish("abc");
  std::array<char, 1000> text{};
  std::rewind(stream.get());
  ASSERT_NE(std::fgets(text.data(), text.size(), stream.get()), nullptr);
  EXPECT_THAT(text.data(), AllOf(HasSubstr("100.0%  1.60k steps"), HasSubstr("entropy 1.000")));
}

TEST_F(TrainingRunTest, EndsWithASignal) {
  auto run = start();
  run->record(update());
  EXPECT_FALSE(run->done());
  stop_ = true;
  EXPECT_TRUE(run->done());
  run->finish("abc");
  EXPECT_EQ(result()["why_ended"], "signal");
}

TEST_F(TrainingRunTest, AResumeGoesOnWithAllCounters) {
  std::vector<Episode> episodes;
  for (int i = 0; i < 150; ++i) episodes.push_back({0, 0.1 * i, 10});
  auto run = start();
  run->record(update(episodes));
  Checkpoint checkpoint;
  run->save(checkpoint);
  run->record(update());  // lost: after the last checkpoint
  run.reset();

  run = resume();
  EXPECT_EQ(run->steps(), 160);
  EXPECT_EQ(lines_of(paths_.metrics()).size(), 1);
  run->record(update(std::vector<Episode>{{0, 100, 10}}));
  run->finish("abc");
  const auto lines = lines_of(paths_.metrics());
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[1]["steps"], 320);
  EXPECT_EQ(lines[1]["updates"], 2);
  EXPECT_EQ(lines[1]["episodes"], 151);
  EXPECT_GE(lines[1]["seconds"], lines[0]["seconds"]);
  // The last hundred returns are 5.1, 5.2, ... 14.9 and 100.
  EXPECT_NEAR(result()["mean_return"], (99 * 10.0 + 100) / 100, 1e-9);
}

TEST_F(TrainingRunTest, SavesOnceAtOneStep) {
  auto run = start();
  run->record(update());
  Checkpoint first;
  run->save(first);
  Checkpoint second;
  second.add_blob("late", {});
  run->save(second);
  EXPECT_TRUE(find_latest(paths_.checkpoints(), {}).checkpoint.blobs.empty());
  // Ape-X's learner makes updates while its actors wait. Seen failing when steps alone counted.
  auto more = update();
  more.steps = 0;
  run->record(more);
  run->save(second);
  EXPECT_TRUE(find_latest(paths_.checkpoints(), {}).checkpoint.blobs.contains("late"));
}

TEST_F(TrainingRunTest, ACheckpointIsDueByTheClock) {
  options_.checkpoint_minutes = 0;
  EXPECT_TRUE(start()->checkpoint_due());
  options_.checkpoint_minutes = 10;
  fs::remove_all(paths_.folder);
  EXPECT_FALSE(start()->checkpoint_due());
}

TEST_F(TrainingRunTest, SavingFlushesTheLog) {
  options_.log_seconds = 1000;
  auto run = start();
  run->record(update());
  EXPECT_TRUE(lines_of(paths_.metrics()).empty());
  Checkpoint checkpoint;
  run->save(checkpoint);
  EXPECT_EQ(lines_of(paths_.metrics()).size(), 1);
}

TEST_F(TrainingRunTest, StopsAtValuesThatAreNotFinite) {
  auto run = start();
  run->record(update());
  Checkpoint checkpoint;
  run->save(checkpoint);
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto inf = std::numeric_limits<double>::infinity();
  auto spoilt = update();
  spoilt.loss.policy_loss = nan;
  auto exploded = update();
  exploded.gradient_norm = inf;
  for (const auto& [report, name] :
       {std::pair(spoilt, "policy loss became not a number at step 320"),
        std::pair(exploded, "gradient norm became infinite")}) {
    try {
      run->record(report);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(name),
                                      HasSubstr((paths_.checkpoints() / "000000000160").string()),
                                      HasSubstr("optimizer.lr")));
    }
  }
  EXPECT_EQ(run->steps(), 160);
}

TEST_F(TrainingRunTest, KeepsSpoiltParametersOutOfCheckpoints) {
  auto run = start();
  Checkpoint checkpoint;
  checkpoint.add_tensor("conv1.weight", {1}, std::vector{std::nanf("")});
  EXPECT_THROW(run->save(checkpoint), Diverged);
  EXPECT_FALSE(fs::exists(paths_.checkpoints()));
}

TEST_F(TrainingRunTest, AnErrorIsInTheResult) {
  start()->fail(Error("the disk burns"));
  EXPECT_EQ(result()["why_ended"], "error: the disk burns");
}

TEST_F(TrainingRunTest, TheResultTellsDivergenceFromErrors) {
  auto run = start();
  auto spoilt = update();
  spoilt.gradient_norm = std::nan("");
  try {
    run->record(spoilt);
    FAIL();
  } catch (const Diverged& error) {
    run->fail(error);
  }
  EXPECT_THAT(result()["why_ended"].get<std::string>(),
              testing::StartsWith("diverged: the gradient norm"));
}

class UntilReturnTest : public TrainingRunTest {
 protected:
  UntilReturnTest() { options_.until_return = 10; }

  const std::vector<Episode> good_ = std::vector<Episode>(99, {0, 20, 10});
  const std::vector<Episode> one_ = {{0, 20, 10}};
  const std::vector<Episode> bad_ = std::vector<Episode>(100, {0, -20, 10});
};

TEST_F(UntilReturnTest, EndsAtTheReturnOverAFullWindow) {
  auto run = start();
  run->record(update(good_));
  EXPECT_FALSE(run->done()) << "99 games are no mean of 100";
  run->record(update(one_));
  EXPECT_TRUE(run->done());
  run->record(update(bad_));  // another thread's last update
  EXPECT_TRUE(run->done());
  run->finish("abc");
  const auto end = result();
  EXPECT_EQ(end["why_ended"], "return");
  EXPECT_EQ(end["steps"], 480);
  EXPECT_EQ(end["reached_return"]["return"], 10);
  EXPECT_EQ(end["reached_return"]["steps"], 320);
  EXPECT_EQ(end["reached_return"]["frames"], 1280);
  EXPECT_LE(end["reached_return"]["seconds"], end["seconds"]);
}

TEST_F(UntilReturnTest, AReturnThatIsNotReachedLeavesTheBudget) {
  auto run = start();
  while (!run->done()) run->record(update(bad_));
  run->finish("abc");
  const auto end = result();
  EXPECT_EQ(end["why_ended"], "budget");
  EXPECT_TRUE(end["reached_return"].is_null());
}

TEST_F(UntilReturnTest, AResumeRemembersItUnlessItIsAfterAnotherReturn) {
  auto run = start();
  run->record(update(good_));
  run->record(update(one_));
  run->record(update(bad_));
  Checkpoint checkpoint;
  run->save(checkpoint);
  run.reset();
  run = resume();
  EXPECT_TRUE(run->done());
  EXPECT_EQ(run->why_done(), "return");
  run.reset();
  options_.until_return = 15;
  EXPECT_FALSE(resume()->done());
}

// Seen hanging with the lock of the counts held while a checkpoint is written.
TEST_F(TrainingRunTest, OthersGoOnWhileACheckpointIsWritten) {
  auto run = start();
  run->record(update());
  Checkpoint checkpoint;
  checkpoint.pieces["large"] = [&](const TakePiece&) {
    std::thread([&] { run->record(update()); }).join();
  };
  run->save(checkpoint);
  EXPECT_EQ(run->steps(), 320);
  EXPECT_TRUE(fs::exists(run->paths().checkpoints() / "000000000160"));
  // The first checkpoint lacks the steps taken while it was written.
  Checkpoint next;
  run->save(next);
  EXPECT_TRUE(fs::exists(run->paths().checkpoints() / "000000000320"));
}

}  // namespace
}  // namespace tandem
