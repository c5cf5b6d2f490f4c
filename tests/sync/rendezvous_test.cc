#include "tandem/sync/rendezvous.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tandem/sync/crew.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;

// Seen failing with a meet() that does not wait.
TEST(Rendezvous, NobodyGoesOnBeforeAllAreThereAndTogetherRan) {
  constexpr int kThreads = 4;
  constexpr int kMeetings = 200;
  Crew crew;
  std::atomic<int> arrived = 0;
  int together = 0;  // guarded by the rendezvous alone
  Rendezvous rendezvous(
      kThreads,
      [&] {
        ++together;
        EXPECT_EQ(arrived, kThreads * together);
      },
      crew.stop_token());
  crew.spawn("thread", kThreads, [&](int) {
    for (int meeting = 1; meeting <= kMeetings; ++meeting) {
      ++arrived;
      rendezvous.meet();
      EXPECT_EQ(together, meeting);
    }
  });
  crew.join();
  EXPECT_EQ(together, kMeetings);
}

// Seen failing (hanging) with a wait that ignores the stop.
TEST(Rendezvous, AStopWakesThoseWhoWait) {
  Crew crew;
  Rendezvous rendezvous(
      3, [] {}, crew.stop_token());
  std::atomic<int> woken = 0;
  crew.spawn("thread", 2, [&](int) {
    try {
      rendezvous.meet();
    } catch (const Stopped&) {
      ++woken;
      throw;
    }
  });
  std::this_thread::sleep_for(5ms);
  crew.stop();
  crew.join();
  EXPECT_EQ(woken, 2);
}

TEST(Rendezvous, AnErrorInTogetherStopsAll) {
  Crew crew;
  Rendezvous rendezvous(
      3, [] { throw std::runtime_error("no"); }, crew.stop_token());
  crew.spawn("thread", 3, [&](int) { rendezvous.meet(); });
  EXPECT_THROW(crew.join(), std::runtime_error);
}

}  // namespace
}  // namespace tandem
