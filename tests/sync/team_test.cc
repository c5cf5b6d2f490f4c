#include "tandem/sync/team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/eventually.h"

namespace tandem {
namespace {

constexpr int kMost = 6;

// Counts the work of each rank.
class TeamTest : public testing::Test {
 protected:
  ~TeamTest() override { crew_.end(); }

  /// Waits until each of these ranks has worked again.
  void await_work_of(int ranks) {
    std::array<int, kMost> before{};
    for (int i = 0; i < ranks; ++i) before[i] = done_[i];
    for (int i = 0; i < ranks; ++i) {
      EXPECT_TRUE(eventually([&] { return done_[i] != before[i]; }));
    }
  }
  int all_done() const {
    int all = 0;
    for (const auto& done : done_) all += done;
    return all;
  }

  std::array<std::atomic<int>, kMost> done_{};
  std::array<std::atomic<int>, kMost> begun_{};
  std::atomic<int> at_work_ = 0;
  Crew crew_;
  Team team_{crew_, "worker", [this](int rank, bool anew) {
               if (anew) ++begun_[rank];
               ++at_work_;
               std::this_thread::yield();
               ++done_[rank];
               --at_work_;
             }};
};

TEST_F(TeamTest, AsManyWorkAsItWasResizedTo) {
  for (const int size : {2, 5, 1, 6, 3}) {
    team_.resize(size);
    EXPECT_EQ(team_.size(), size);
    await_work_of(size);
  }
  team_.rest();
  EXPECT_EQ(team_.size(), 3);
  for (int rank = 0; rank < kMost; ++rank) EXPECT_GT(done_[rank], 0);
}

// Seen failing when a smaller size changed nothing, and when it did not count as a rest.
TEST_F(TeamTest, SurplusRanksSleepAndBeginAnewAfterwards) {
  team_.resize(5);
  await_work_of(5);
  const int begun = begun_[4];
  team_.resize(1);
  const auto others = [&] {
    int all = 0;
    for (int rank = 1; rank < 5; ++rank) all += done_[rank];
    return all;
  };
  const int before = others();
  for (int unit = 0; unit < 1'000; ++unit) await_work_of(1);
  EXPECT_LE(others() - before, 4);  // each may end the unit that it was in
  team_.resize(5);
  await_work_of(5);
  EXPECT_EQ(begun_[4], begun + 1);
}

// Seen failing when rest() did not wait.
TEST_F(TeamTest, NobodyWorksAfterRest) {
  for (int round = 0; round < 50; ++round) {
    team_.resize(kMost);
    await_work_of(2);
    team_.rest();
    EXPECT_EQ(at_work_, 0);
    const int before = all_done();
    std::this_thread::yield();
    EXPECT_EQ(all_done(), before);
  }
}

TEST_F(TeamTest, WhoeverRestedIsTold) {
  for (int round = 1; round <= 5; ++round) {
    team_.resize(kMost);
    await_work_of(kMost);
    team_.rest();
    for (int rank = 0; rank < kMost; ++rank) EXPECT_EQ(begun_[rank], round);
  }
}

// Seen failing when `begin` ran before every unit of work, and when it ran in the caller's thread.
TEST_F(TeamTest, EachThreadBeginsOnceBeforeItsFirstWork) {
  std::array<std::atomic<int>, kMost> begun{};
  std::array<std::thread::id, kMost> threads;
  std::atomic<int> wrong = 0;
  Crew crew;
  Team team(
      crew, "worker",
      [&](int rank, bool) {
        if (begun[rank] != 1 || threads[rank] != std::this_thread::get_id()) ++wrong;
        std::this_thread::yield();
      },
      [&](int rank) {
        threads[rank] = std::this_thread::get_id();
        ++begun[rank];
      });
  for (const int size : {2, kMost, 1, kMost}) {
    team.resize(size);
    EXPECT_TRUE(eventually([&] { return begun[size - 1] > 0; }));
    team.rest();
  }
  crew.end();
  EXPECT_EQ(wrong, 0);
  for (const auto& count : begun) EXPECT_EQ(count, 1);
}

// Seen hanging with a rest() that the stop does not wake.
TEST_F(TeamTest, AnErrorAtWorkWakesWhoeverWaitsForRest) {
  Crew crew;
  Team failing(crew, "failing", [](int rank, bool) {
    if (rank == 1) throw std::runtime_error("broken");
    std::this_thread::yield();
  });
  failing.resize(3);
  EXPECT_THROW(
      {
        try {
          for (;;) {
            failing.rest();
            failing.resize(3);
          }
        } catch (const Stopped&) {
          crew.join();
        }
      },
      std::runtime_error);
}

}  // namespace
}  // namespace tandem
