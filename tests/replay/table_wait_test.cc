#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/replay/table.h"
#include "tandem/sync/crew.h"
#include "tests/replay/frames.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::segment;
using test::small_format;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ReplayConfig limited() {
  return {.capacity = 1000, .min_fill = 10, .samples_per_insert = 2, .slack = 8};
}

std::unique_ptr<Segment> ten() { return segment(std::vector<float>(10, 1)); }

TEST(TableWait, EndsAtItsDeadline) {
  Table table(limited(), small_format(), 1, 1, {});
  SampleBatch batch(table.format(), 8);
  const auto begin = steady_clock::now();
  EXPECT_FALSE(table.sample(batch, begin));
  EXPECT_FALSE(table.sample(batch, begin + 20ms));
  EXPECT_GE(steady_clock::now(), begin + 20ms);
  EXPECT_TRUE(table.wait_to_insert(begin));
  table.insert(ten());
  table.insert(ten());
  EXPECT_FALSE(table.wait_to_insert(steady_clock::now() + 5ms));  // 20 due
  EXPECT_EQ(table.state().sampled, 0);
  EXPECT_TRUE(table.sample(batch, begin));  // no wait is needed
  EXPECT_TRUE(table.sample(batch, begin));
  EXPECT_EQ(table.state().sampled, 16);
  EXPECT_TRUE(table.wait_to_insert(begin));
}

TEST(TableWait, EndsEarlyWhenItMay) {
  Crew crew;
  Table table(limited(), small_format(), 1, 1, crew.stop_token());
  std::atomic<int> drawn = 0;
  crew.spawn("reader", 2, [&](int) {
    SampleBatch batch(table.format(), 4);
    if (table.sample(batch, steady_clock::now() + 30s)) drawn += 1;
  });
  std::this_thread::sleep_for(20ms);
  const auto begin = steady_clock::now();
  table.insert(ten());
  crew.join();
  EXPECT_EQ(drawn, 2);
  EXPECT_LT(steady_clock::now() - begin, 20s);
}

TEST(TableWait, AStopEndsIt) {
  Crew crew;
  Table table(limited(), small_format(), 1, 1, crew.stop_token());
  std::atomic<int> stopped = 0;
  crew.spawn("reader", 2, [&](int) {
    SampleBatch batch(table.format(), 4);
    try {
      table.sample(batch, steady_clock::now() + 30s);
    } catch (const Stopped&) {
      stopped += 1;
    }
  });
  std::this_thread::sleep_for(20ms);
  crew.stop();
  crew.join();
  EXPECT_EQ(stopped, 2);
  EXPECT_THROW(table.wait_to_insert(steady_clock::now() + 30s), Stopped);
}

TEST(TableWait, RefusesBatchesThatWouldWaitForEver) {
  Table table(limited(), small_format(), 1, 1, {});
  table.require_batch(8);
  EXPECT_THAT([&] { table.require_batch(9); }, ThrowsMessage<Error>(HasSubstr("replay.slack = 8")));
  const ReplayConfig in_order{.capacity = 20, .min_fill = 1, .sampler = "fifo"};
  Table queue(in_order, small_format(), 1, 1, {});
  queue.require_batch(20);
  EXPECT_THAT([&] { queue.require_batch(21); }, ThrowsMessage<Error>(HasSubstr("a batch, 21")));
}

}  // namespace
}  // namespace tandem
