#include "tandem/sync/dispatch.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tandem/sync/crew.h"
#include "tests/support/allocations.h"

namespace tandem {
namespace {

std::vector<int> numbers(int count) {
  std::vector<int> result(count);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

// Each job adds one to a plain number. Under ThreadSanitizer this shows that posting and collecting
// order the writes of the caller and the workers.
class Counting {
 public:
  Counting(int jobs, int threads) : counts_(jobs), dispatch_(jobs, crew_.stop_token()) {
    crew_.spawn("job", threads, [this](int) {
      for (;;) {
        const int job = dispatch_.take();
        ++counts_[job];
        dispatch_.done(job);
      }
    });
  }
  ~Counting() {
    crew_.stop();
    crew_.join();
  }

  std::vector<int> collect_done() {
    std::vector<int> done;
    for (int job = 0; job < static_cast<int>(counts_.size()); ++job) {
      if (!dispatch_.is_done(job)) continue;
      dispatch_.collect(job);
      done.push_back(job);
    }
    return done;
  }

  Dispatch& dispatch() { return dispatch_; }
  std::vector<int>& counts() { return counts_; }
  Crew& crew() { return crew_; }

 private:
  std::vector<int> counts_;
  Crew crew_;
  Dispatch dispatch_;
};

// Seen failing (hanging) with `wanted_` compared by <= in Dispatch::done, and with `wanted_` stored
// after the check of the count.
TEST(Dispatch, EveryJobPostedIsDoneOnce) {
  constexpr int jobs = 3;  // few jobs and many threads: the ring wraps around quickly
  Counting counting(jobs, 4);
  std::vector<int> posted(jobs);
  auto next = numbers(jobs);
  for (int round = 0; round < 20000; ++round) {
    for (const int job : next) {
      ++posted[job];
      ASSERT_EQ(++counting.counts()[job], 2 * posted[job] - 1);
    }
    counting.dispatch().post(next, 4);
    counting.dispatch().wait_done(1 + round % jobs);
    next = counting.collect_done();
    ASSERT_FALSE(next.empty());
    for (const int job : next) ASSERT_EQ(counting.counts()[job], 2 * posted[job]);
  }
}

// Seen failing (hanging) with a wait that ignores the stop.
TEST(Dispatch, AStopWakesTheCallerAndTheWorkers) {
  Crew crew;
  Dispatch dispatch(2, crew.stop_token());
  crew.spawn("job", 2, [&](int) { dispatch.take(); });
  crew.spawn("stop", 1, [&](int) { crew.stop(); });
  EXPECT_THROW(dispatch.wait_done(1), Stopped);
  crew.join();
}

// Seen failing (hanging) when the caller was notified before the job was counted.
TEST(Dispatch, WaitsForAllAtOnce) {
  Counting counting(16, 3);
  const auto all = numbers(16);
  for (int round = 0; round < 3000; ++round) {
    counting.dispatch().post(all, 3);
    counting.dispatch().wait_done(16);
    ASSERT_EQ(counting.collect_done(), all);
  }
  EXPECT_EQ(counting.counts(), std::vector<int>(16, 3000));
}

TEST(Dispatch, AllocatesNothing) {
  Counting counting(8, 2);
  const auto all = numbers(8);
  const AllocationCount allocations;
  for (int round = 0; round < 100; ++round) {
    counting.dispatch().post(all, 3);
    counting.dispatch().wait_done(8);
    for (const int job : all) counting.dispatch().collect(job);
  }
  EXPECT_EQ(allocations.so_far(), 0);
}

}  // namespace
}  // namespace tandem
