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

// With half a sample for each insert most transitions are removed unread. Seen failing, by an
// endless wait of readers, when removed ones allowed no samples of others.
TEST(TableWait, OfARatioBelowOneInOrderHasNoEnd) {
  const ReplayConfig half{
      .capacity = 20, .min_fill = 10, .sampler = "fifo", .samples_per_insert = 0.5, .slack = 8};
  Table table(half, small_format(), 1, 1, {});
  SampleBatch batch(table.format(), 4);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(table.wait_to_insert(steady_clock::now()));
    table.insert(ten());
    table.trim();
    while (table.sample(batch, steady_clock::now())) {
    }
  }
  EXPECT_NEAR(table.state().sampled, 500, 10);
  // Seen failing when removed transitions let writers go on without readers.
  int inserts = 0;
  while (table.wait_to_insert(steady_clock::now()) && inserts < 20) {
    table.insert(ten());
    table.trim();
    ++inserts;
  }
  EXPECT_LT(inserts, 5);
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

// Writer and reader waited for each other for ever when transitions that went unread still let
// samples be due.
TEST(TableWait, AReaderInOrderOwesNoSamplesOfRemovedTransitions) {
  const ReplayConfig config{
      .capacity = 20, .min_fill = 10, .sampler = "fifo", .samples_per_insert = 1, .slack = 8};
  Table table(config, small_format(), 8, 1, {});
  for (int i = 0; i < 5; ++i) table.insert(ten());  // 50, with room for 20
  table.trim();
  SampleBatch batch(table.format(), 8);
  const auto now = steady_clock::now();
  EXPECT_TRUE(table.sample(batch, now));
  EXPECT_TRUE(table.sample(batch, now));
  EXPECT_FALSE(table.sample(batch, now));  // 4 are left to read
  EXPECT_TRUE(table.wait_to_insert(now));

  Table again(config, small_format(), 8, 1, {});
  std::vector<KeptTransition> kept(10);
  for (std::uint32_t i = 0; i < 10; ++i) kept[i] = {.transition = i, .priority = 1};
  for (int i = 0; i < 2; ++i) again.restore(ten(), kept);
  again.restore(TableCounts{.inserted = 50, .sampled = 16, .unread = 4});
  EXPECT_TRUE(again.wait_to_insert(now));
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
