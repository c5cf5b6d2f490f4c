#include "tandem/sync/crew.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>

namespace tandem {
namespace {

// A gate that blocks like the primitives built on a crew.
class Gate {
 public:
  void wait(const std::stop_token& stop) {
    WaitLock lock(mutex_);
    ++waiting_;
    wait_until(changed_, lock, stop, [this]() TANDEM_REQUIRES(mutex_) { return open_; });
  }
  void open() {
    const Lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void await_waiting(int count) {
    for (;;) {
      const Lock lock(mutex_);
      if (waiting_ == count) return;
      std::this_thread::yield();
    }
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ TANDEM_GUARDED_BY(mutex_) = false;
  int waiting_ TANDEM_GUARDED_BY(mutex_) = 0;
};

TEST(Crew, RunsEveryRankUnderItsName) {
  std::array<std::string, 3> names;
  Crew crew;
  crew.spawn("stepper", 3, [&](int rank) {
    std::array<char, 16> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    names[rank] = name.data();
  });
  crew.join();
  EXPECT_EQ(names, (std::array<std::string, 3>{"stepper-0", "stepper-1", "stepper-2"}));
}

TEST(Crew, CutsALongNameInsteadOfLosingIt) {
  std::string seen;
  Crew crew;
  crew.spawn("averylongrolename", 1, [&](int) {
    std::array<char, 16> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    seen = name.data();
  });
  crew.join();
  EXPECT_EQ(seen, "averylongrolena");
}

// Seen failing (hanging) without the call of stop() in Crew::run.
TEST(Crew, TheFirstErrorWakesAllAndIsRethrown) {
  Gate never;
  Crew crew;
  std::atomic<int> stopped = 0;
  crew.spawn("waiter", 3, [&](int) {
    try {
      never.wait(crew.stop_token());
    } catch (const Stopped&) {
      ++stopped;
      throw;
    }
  });
  never.await_waiting(3);
  crew.spawn("failing", 1, [](int) { throw std::runtime_error("the first"); });
  try {
    crew.join();
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the first");
  }
  EXPECT_EQ(stopped, 3);
  EXPECT_TRUE(crew.stop_token().stop_requested());
  crew.join();  // the error is reported once
}

// Seen failing with `error_` overwritten by later errors.
TEST(Crew, AnErrorThatFollowsFromTheFirstIsNotTold) {
  Gate never;
  Crew crew;
  crew.spawn("waiter", 1, [&](int) {
    try {
      never.wait(crew.stop_token());
    } catch (const Stopped&) {
      throw std::runtime_error("a consequence");
    }
  });
  never.await_waiting(1);
  crew.spawn("failing", 1, [](int) { throw std::logic_error("the cause"); });
  EXPECT_THROW(crew.join(), std::logic_error);
}

TEST(Crew, AStopIsNoError) {
  Gate never;
  Crew crew;
  crew.spawn("waiter", 2, [&](int) { never.wait(crew.stop_token()); });
  never.await_waiting(2);
  crew.stop();
  EXPECT_NO_THROW(crew.join());
}

// Seen failing (terminating) with a destructor that joins nothing.
TEST(Crew, TheDestructorStopsAndJoins) {
  Gate never;
  {
    Crew crew;
    crew.spawn("waiter", 2, [&](int) { never.wait(crew.stop_token()); });
  }
}

TEST(Crew, AWaitThrowsAfterAStopEvenWhenItIsReady) {
  Gate gate;
  gate.open();
  Crew crew;
  EXPECT_NO_THROW(gate.wait(crew.stop_token()));
  crew.stop();
  EXPECT_THROW(gate.wait(crew.stop_token()), Stopped);
}

TEST(Crew, AnOpenedGateLetsThrough) {
  Gate gate;
  Crew crew;
  std::atomic<int> through = 0;
  crew.spawn("waiter", 2, [&](int) {
    gate.wait(crew.stop_token());
    ++through;
  });
  gate.await_waiting(2);
  gate.open();
  crew.join();
  EXPECT_EQ(through, 2);
}

}  // namespace
}  // namespace tandem
