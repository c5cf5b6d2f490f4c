#include "tandem/sync/fair_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "tandem/base/clock.h"
#include "tandem/sync/crew.h"

namespace tandem {
namespace {

// Many threads change a number that only the lock guards. Seen failing with a lock that admits
// every thread.
TEST(FairMutex, OneThreadAtATimeHoldsIt) {
  FairMutex mutex;
  std::atomic<int> count = 0;
  Crew crew;
  crew.spawn("adder", 4, [&](int) {
    for (int i = 0; i < 1'000; ++i) {
      const std::lock_guard lock(mutex);
      const int before = count;
      std::this_thread::yield();
      count = before + 1;
    }
  });
  crew.join();
  EXPECT_EQ(count, 4'000);
}

/// Takes as long as a short step.
void work() {
  const Stopwatch watch;
  while (watch.seconds() < 20e-6) {
  }
}

// Seen failing with std::mutex on idle cores: the others waited for 2,000 to 20,000 holds.
TEST(FairMutex, WhoHoldsItAgainAndAgainLetsOthersIn) {
  FairMutex mutex;
  std::atomic<int> holds = 0;
  Crew crew;
  crew.spawn("holder", 1, [&](int) {
    while (!crew.stop_token().stop_requested()) {
      const std::lock_guard lock(mutex);
      ++holds;
      work();
    }
  });
  int waited = 0;
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const int before = holds;
    const std::lock_guard lock(mutex);
    waited += holds - before;
  }
  crew.stop();
  crew.join();
  EXPECT_LE(waited, 150);
}

}  // namespace
}  // namespace tandem
