#include "tandem/app/apex_studies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tandem/app/variation.h"
#include "tandem/base/error.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::HasSubstr;

Config config() {
  Config config;
  config.apex.envs = 4;
  config.replay.capacity = 400'000;
  config.replay.min_fill = 60'000;
  return config;
}

TEST(ApexStudies, VaryWhatThePaperDoes) {
  EXPECT_EQ(variation_of("actors", config()), "apex.envs=1,2,4,8");
  EXPECT_EQ(variation_of("recency", config()), "apex.envs+apex.copies=4+1,1+4");
  EXPECT_EQ(variation_of("epsilons", config()), "dqn.epsilons=0,6");
  EXPECT_EQ(variation_of("priorities", config()), "replay.sampler=prioritized,uniform");
}

// Seen failing with a capacity below what is filled first.
TEST(ApexStudies, NoReplayIsSmallerThanItsMinimum) {
  EXPECT_EQ(variation_of("capacity", config()), "replay.capacity=100000,200000,400000");
}

TEST(ApexStudies, EachCanBeVaried) {
  for (const auto& study : apex_studies()) {
    const auto variation = variation_of(study.name, config());
    EXPECT_EQ(error_of([&] { std::ignore = parse_variation(variation); }), "") << study.name;
  }
}

TEST(ApexStudies, SayWhatLeavesNothingToVary) {
  auto small = config();
  small.apex.envs = 1;
  EXPECT_THAT(error_of([&] { variation_of("recency", small); }), HasSubstr("apex.envs"));
  small.replay.min_fill = 300'000;
  EXPECT_THAT(error_of([&] { variation_of("capacity", small); }), HasSubstr("replay.min_fill"));
  EXPECT_THAT(error_of([&] { variation_of("colours", small); }), HasSubstr("epsilons"));
}

}  // namespace
}  // namespace tandem
