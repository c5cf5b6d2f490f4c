#include "tandem/learn/published_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace tandem {
namespace {

using testing::ElementsAre;

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
