#include "tandem/learn/published_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace tandem {
namespace {

using testing::ElementsAre;

// A data race where the size was that of a vector which publish() swaps.
TEST(PublishedParameters, TellTheirSizeWhileOthersArePublished) {
  PublishedParameters parameters(std::vector<float>(1000));
  const std::jthread learner([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      parameters.stage(std::vector<float>(1000, 1.0F));
      parameters.publish();
    }
  });
  for (int i = 0; i < 1'000; ++i) {
    std::vector<float> own(parameters.size());
    ASSERT_EQ(own.size(), 1000U);
    std::optional<std::int64_t> version;
    EXPECT_TRUE(parameters.copy_if_newer(version, own));
  }
}

TEST(PublishedParameters, ActUntilTheNextArePublished) {
  PublishedParameters parameters(std::array{1.0F, 2.0F});
  std::optional<std::int64_t> version;
  std::array<float, 2> own{};
  EXPECT_TRUE(parameters.copy_if_newer(version, own));
  EXPECT_THAT(own, ElementsAre(1, 2));
  parameters.stage(std::array{3.0F, 4.0F});
  EXPECT_FALSE(parameters.copy_if_newer(version, own));
  parameters.publish();
  EXPECT_TRUE(parameters.copy_if_newer(version, own));
  EXPECT_THAT(own, ElementsAre(3, 4));
  EXPECT_FALSE(parameters.copy_if_newer(version, own));
}

}  // namespace
}  // namespace tandem
