#include "tandem/sync/cores.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace tandem {
namespace {

TEST(Cores, AThreadAndThoseItStartsKeepToThem) {
  const auto all = usable_cores();
  ASSERT_FALSE(all.empty());
  const std::array last = {all.back()};
  std::vector<int> own, of_child;
  std::thread([&] {
    keep_to(last);
    own = usable_cores();
    std::thread([&] { of_child = usable_cores(); }).join();
  }).join();
  EXPECT_EQ(own, std::vector{all.back()});
  EXPECT_EQ(of_child, own);
  EXPECT_EQ(usable_cores(), all);
}

TEST(Cores, WithoutAnyAThreadRunsAsBefore) {
  const auto all = usable_cores();
  std::vector<int> own;
  std::thread([&] {
    keep_to({});
    own = usable_cores();
  }).join();
  EXPECT_EQ(own, all);
}

TEST(Cores, WhereTheSystemRefusesAThreadRunsAsBefore) {
  constexpr std::array kNone = {1023};  // a core that hardly any machine has
  const auto all = usable_cores();
  if (all.back() == kNone[0]) GTEST_SKIP() << "a machine of 1024 cores";
  std::vector<int> own;
  std::thread([&] {
    keep_to(kNone);
    own = usable_cores();
  }).join();
  EXPECT_EQ(own, all);
}

}  // namespace
}  // namespace tandem
