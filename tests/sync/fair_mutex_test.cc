#include "tandem/sync/fair_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "tandem/base/median.h"
#include "tandem/sync/crew.h"

namespace tandem {
namespace {

// Of many threads on a number that only the lock guards. Seen failing with a lock that lets all in.
TEST(FairMutex, OneThreadAtATimeHoldsIt) {
  FairMutex mutex;
  std::atomic<int> count = 0;
  Crew crew;
  crew.spawn("adder", 4, [&](int) {
    for (int i = 0; i < 5'000; ++i) {
      const std::lock_guard lock(mutex);
      count.store(count.load() + 1);  // two steps, between which others could come
    }
  });
  crew.join();
  EXPECT_EQ(count, 20'000);
}

// Seen failing with std::mutex.
TEST(FairMutex, WhoHoldsItAgainAndAgainLetsOthersIn) {
  FairMutex mutex;
  std::atomic<int> holds = 0;
  Crew crew;
  crew.spawn("holder", 1, [&](int) {
    while (!crew.stop_token().stop_requested()) {
      const std::lock_guard lock(mutex);
      ++holds;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  std::vector<double> waited;
  for (int i = 0; i < 15; ++i) {
    const int before = holds;
    while (holds == before) std::this_thread::yield();  // it is held
    const std::lock_guard lock(mutex);
    waited.push_back(holds - before);
  }
  crew.stop();
  crew.join();
  EXPECT_LE(median(waited), 2);
}

}  // namespace
}  // namespace tandem
