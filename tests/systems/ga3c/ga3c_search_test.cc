#include "tandem/systems/ga3c/ga3c_search.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace tandem {
namespace {

constexpr Ga3cThreads kStart = {.agents = 4, .predictors = 2, .trainers = 2};

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(600)); }

TEST(Ga3cSearch, WithoutAnIntervalTheNumbersStay) {
  Ga3cSearch search(0, kStart, Stream(3, 0));
  wait();
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_EQ(search.tried(), kStart);
}

// Seen failing when go_on() let the clock run on.
TEST(Ga3cSearch, NumbersAreTriedForAnInterval) {
  Ga3cSearch search(0.5, kStart, Stream(3, 0));
  EXPECT_EQ(search.next(), std::nullopt);
  wait();
  search.go_on();  // the time before this is no trial
  EXPECT_EQ(search.next(), std::nullopt);
  search.count_update();
  wait();
  const auto next = search.next();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(*next, search.tried());
  EXPECT_EQ(search.next(), std::nullopt);
}

}  // namespace
}  // namespace tandem
