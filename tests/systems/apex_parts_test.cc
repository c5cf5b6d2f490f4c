// Parts of Ape-X that need no threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tandem/systems/replay_memory.h"
#include "tandem/systems/returns_by_epsilon.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(ReplayMemory, AFullReplayMustFit) {
  const ReplayConfig config = {.capacity = 1'000'000};
  EXPECT_NO_THROW(require_memory(config, 8'000, 0, 9'000'000'000));
  EXPECT_NO_THROW(require_memory(config, 8'000, 0, std::nullopt));
  // What it has already it need not get.
  EXPECT_NO_THROW(require_memory(config, 8'000, 5e9, 4'000'000'000));
}

TEST(ReplayMemory, TheErrorSaysWhatIsNeededAndWhatFits) {
  const ReplayConfig config = {.capacity = 2'000'000, .compression = "none"};
  EXPECT_THAT(error_of([&] { require_memory(config, 8'000, 0, 4'000'000'000); }),
              AllOf(HasSubstr("16.0 GB"), HasSubstr("3.6 GB"),
                    HasSubstr("replay.capacity to 450000"), HasSubstr("lz4")));
}

// 50 transitions have 50 + 4 - 1 + 3 frames.
TEST(ReplayMemory, CountsAFrameOnce) {
  const FrameFormat format{.frame_bytes = 7056, .stack = 4};
  const double bytes = raw_bytes_per_transition({.segment = 50}, format, 3);
  EXPECT_GT(bytes, 7056 * 56 / 50.0);
  EXPECT_LT(bytes, 7056 * 56 / 50.0 + 200);
}

TEST(ReturnsByEpsilon, AreThoseOfEachActorWhereThereAreFew) {
  ReturnsByEpsilon returns(std::array{0.4F, 0.05F});
  EXPECT_TRUE(returns.take().empty());
  const std::vector<Episode> episodes{{0, 1, 9}, {1, 5, 9}, {1, 7, 9}};
  returns.add(episodes);
  const auto measures = returns.take();
  ASSERT_EQ(measures.size(), 2U);
  EXPECT_STREQ(measures[0].key, "apex/return_epsilon_0.4");
  EXPECT_EQ(measures[0].sum, 1);
  EXPECT_STREQ(measures[1].key, "apex/return_epsilon_0.05");
  EXPECT_EQ(measures[1].sum, 12);
  EXPECT_EQ(measures[1].count, 2);
  EXPECT_TRUE(returns.take().empty());
}

// Seen failing with the first epsilon of a band for its name.
TEST(ReturnsByEpsilon, AreThoseOfBandsWhereThereAreMany) {
  std::vector<float> epsilons;
  for (int i = 0; i < 20; ++i) epsilons.push_back(1.0F / static_cast<float>(i + 1));
  ReturnsByEpsilon returns(epsilons);
  std::vector<Episode> episodes;
  for (int i = 0; i < 20; ++i) episodes.push_back({i, 1, 1});
  returns.add(episodes);
  const auto measures = returns.take();
  ASSERT_EQ(measures.size(), ReturnsByEpsilon::kBands);
  EXPECT_EQ(measures.front().count, 3);
  EXPECT_STREQ(measures.front().key, "apex/return_epsilon_0.33");
  EXPECT_STREQ(measures.back().key, "apex/return_epsilon_0.05");
}

}  // namespace
}  // namespace tandem
