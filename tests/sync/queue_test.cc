#include "tandem/sync/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <thread>

namespace tandem {
namespace {

using namespace std::chrono_literals;

TEST(Queue, GivesItemsInTheirOrder) {
  Queue<int> queue(3, {});
  for (const int item : {1, 2, 3}) queue.push(item);
  EXPECT_EQ(queue.size(), 3u);
  for (const int item : {1, 2, 3}) EXPECT_EQ(queue.pop(), item);
}

// Seen failing when push() did not wait for room.
TEST(Queue, NeverGrowsBeyondItsCapacity) {
  Crew crew;
  Queue<int> queue(2, crew.stop_token());
  std::atomic<int> pushed = 0;
  crew.spawn("pusher", 3, [&](int) {
    for (int i = 0; i < 100; ++i) {
      queue.push(i);
      ++pushed;
    }
  });
  for (int popped = 0; popped < 300; ++popped) {
    EXPECT_LE(queue.size(), 2u);
    ASSERT_TRUE(queue.pop());
    EXPECT_LE(pushed, popped + 1 + 2);
  }
  crew.join();
}

TEST(Queue, EachItemIsPoppedOnce) {
  Crew crew;
  Queue<int> queue(8, crew.stop_token());
  std::array<std::set<int>, 4> seen;
  crew.spawn("popper", 4, [&](int rank) {
    while (const auto item = queue.pop()) seen[static_cast<std::size_t>(rank)].insert(*item);
  });
  for (int i = 0; i < 1000; ++i) queue.push(i);
  queue.close();
  crew.join();
  std::size_t count = 0;
  std::set<int> all;
  for (const auto& own : seen) {
    count += own.size();
    all.insert(own.begin(), own.end());
  }
  EXPECT_EQ(count, 1000u);
  EXPECT_EQ(all.size(), 1000u);
}

TEST(Queue, AClosedOneGivesWhatIsLeftAndThenNothingUntilItIsOpened) {
  Queue<int> queue(2, {});
  queue.push(1);
  queue.close();
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
  queue.open();
  queue.push(2);
  EXPECT_EQ(queue.pop(), 2);
}

TEST(Queue, HoldsWhatCanOnlyBeMoved) {
  Queue<std::unique_ptr<int>> queue(1, {});
  queue.push(std::make_unique<int>(5));
  EXPECT_EQ(**queue.pop(), 5);
}

// Seen hanging with waits that ignore the stop.
TEST(Queue, AStopWakesWhoeverWaits) {
  Crew crew;
  Queue<int> full(1, crew.stop_token());
  Queue<int> empty(1, crew.stop_token());
  full.push(0);
  std::atomic<int> unwound = 0;
  crew.spawn("waiter", 4, [&](int rank) {
    try {
      if (rank % 2 == 0) full.push(1);
      empty.pop();
    } catch (const Stopped&) {
      ++unwound;
      throw;
    }
  });
  std::this_thread::sleep_for(20ms);
  crew.stop();
  crew.join();
  EXPECT_EQ(unwound, 4);
}

}  // namespace
}  // namespace tandem
