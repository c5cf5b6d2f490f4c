#include "tandem/sync/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/allocations.h"
#include "tests/support/eventually.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;

class WorkersThreads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, WorkersThreads, testing::Values(1, 2, 3, 8));

// Seen failing without the wait for the helpers at the end of parallel_for.
TEST_P(WorkersThreads, EveryIndexRunsOnceBeforeTheReturn) {
  Workers workers(GetParam());
  for (int round = 0; round < 2000; ++round) {
    const int count = round % 17;
    std::vector<int> runs(count);  // not atomic: a body that still ran would cause a data race
    workers.parallel_for(count, [&](int index) {
      if (index == 1) std::this_thread::sleep_for(10us);
      ++runs[index];
    });
    ASSERT_EQ(runs, std::vector<int>(count, 1));
  }
}

// Seen failing with one helper too few.
TEST(Workers, UsesAllThreads) {
  Workers workers(3);
  std::atomic<int> arrived = 0;
  workers.parallel_for(3, [&](int) {
    ++arrived;
    EXPECT_TRUE(eventually([&] { return arrived == 3; }));
  });
}

// Seen failing when the indices were assigned to threads in advance.
TEST(Workers, OneLongIndexDoesNotHoldUpTheOthers) {
  Workers workers(2);
  std::atomic<int> done = 0;
  workers.parallel_for(20, [&](int index) {
    EXPECT_TRUE(index != 0 || eventually([&] { return done == 19; }));
    ++done;
  });
}

// Seen failing with the first or the last exception kept instead of the lowest.
TEST_P(WorkersThreads, RethrowsTheExceptionOfTheLowestIndexAndStaysUsable) {
  Workers workers(GetParam());
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> started = 0;
    const auto body = [&](int index) {
      ++started;
      if (index == 2) std::this_thread::sleep_for(100us);
      if (index == 3) std::this_thread::sleep_for(round % 2 * 300us);
      if (index >= 2) throw std::runtime_error(std::to_string(index));
    };
    try {
      workers.parallel_for(1000, body);
      FAIL() << "no error";
    } catch (const std::runtime_error& error) {
      ASSERT_STREQ(error.what(), "2");
    }
    ASSERT_LE(started, 2 + GetParam());  // the rest was skipped
    std::atomic<int> runs = 0;
    workers.parallel_for(5, [&](int) { ++runs; });
    ASSERT_EQ(runs, 5);
  }
}

// Seen failing with a lambda of 32 bytes of captures, which std::function keeps on the heap.
TEST(Workers, ALoopAllocatesNothing) {
  Workers workers(2);
  std::atomic<int> runs = 0;
  const auto body = [&runs](int) { ++runs; };
  workers.parallel_for(4, body);
  const AllocationCount allocations;
  for (int round = 0; round < 100; ++round) workers.parallel_for(4, body);
  EXPECT_EQ(allocations.so_far(), 0);
}

// Seen failing with helpers that wait in a loop over yield().
TEST(Workers, IdleThreadsUseNoProcessorTime) {
  Workers workers(4);
  workers.parallel_for(8, [](int) {});
  const auto before = std::clock();
  std::this_thread::sleep_for(100ms);
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 0.03);
}

}  // namespace
}  // namespace tandem
