#include "tandem/study/apex/replay_speed.h"

#include <gtest/gtest.h>

#include "tandem/base/error.h"

namespace tandem {
namespace {

ReplayTask small_task() {
  return {.replay = {.capacity = 2'000, .min_fill = 1}, .writers = 2, .batch = 64, .seconds = 0.1};
}

// Rates depend on the machine, so any rate above 0 passes.
TEST(ReplaySpeed, MeasuresEachSideAloneAndBothTogether) {
  const auto speed = measure_replay(small_task(), [] { return false; });
  EXPECT_GT(speed.writing.inserts, 0);
  EXPECT_EQ(speed.writing.samples, 0);
  EXPECT_EQ(speed.reading.inserts, 0);
  EXPECT_GT(speed.reading.samples, 0);
  EXPECT_GT(speed.together.inserts, 0);
  EXPECT_GT(speed.together.samples, 0);
  // Each transition adds a frame and its share of the segment's extra frames.
  EXPECT_GT(speed.bytes_per_transition, 7'056);
  EXPECT_LT(speed.bytes_per_transition, 8'400);
  EXPECT_EQ(speed.sample_bytes, 2 * 4 * 84 * 84);
  EXPECT_GT(speed.copies_bytes_per_second, 0);
}

TEST(ReplaySpeed, PicturesLikeAGamesCompressAndNoiseDoesNot) {
  auto task = small_task();
  task.replay.compression = "lz4";
  EXPECT_LT(measure_replay(task, [] { return false; }).bytes_per_transition, 1'000);
  task.random = true;
  EXPECT_GT(measure_replay(task, [] { return false; }).bytes_per_transition, 7'056);
}

TEST(ReplaySpeed, RefusesMoreThanMemoryHolds) {
  auto task = small_task();
  task.replay.capacity = 1'000'000'000;
  task.replay.segment = 1;  // each transition with all its frames
  EXPECT_THROW((void)measure_replay(task, [] { return false; }), Error);
}

}  // namespace
}  // namespace tandem
