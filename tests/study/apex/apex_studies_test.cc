#include "tandem/study/apex/apex_studies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tandem/base/error.h"
#include "tandem/study/variation.h"
#include "tandem/systems/apex/apex_system.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::HasSubstr;

Config config() {
  auto config = load_config("apex", {{"env.id", "catch", "test"}});
  config.run.steps = 1'060'000;
  auto& apex = dynamic_cast<ApexSystem&>(*config.system);
  apex.config.actors = 1;
  apex.config.envs = 8;
  apex.replay.samples_per_insert = 2;
  apex.replay.capacity = 300'000;
  apex.replay.min_fill = 60'000;
  return config;
}

const std::string kParts = "apex.envs+apex.copies+run.steps+replay.samples_per_insert=";

// All variants make equally many updates, a million transitions times two samples after the minimum
// fill, and have the least and the greatest epsilon. Seen failing when a variant had one
// environment, whose epsilon is 0.4, and when the steps that fill the replay shrank, too.
TEST(ApexStudies, VaryWhatThePaperDoes) {
  EXPECT_EQ(variation_of("actors", config()), kParts + "2+1+310000+8,4+1+560000+4,8+1+1060000+2");
  EXPECT_EQ(variation_of("recency", config()), kParts + "8+1+1060000+2,2+1+310000+8,2+4+265000+2");
  EXPECT_EQ(variation_of("epsilons", config()), "dqn.epsilons=0,6");
  EXPECT_EQ(variation_of("priorities", config()), "replay.sampler=prioritized,uniform");
}

// Seen failing with a capacity below the minimum fill, and with too few steps for the largest.
TEST(ApexStudies, NoReplayIsSmallerThanItsMinimum) {
  EXPECT_EQ(variation_of("capacity", config()), "replay.capacity=75000,150000,300000");
  auto few = config();
  few.run.steps = 500'000;
  EXPECT_THAT(error_of([&] { variation_of("capacity", few); }),
              HasSubstr("replay.capacity=250000"));
  few.run.steps = 60'000;
  dynamic_cast<ApexSystem&>(*few.system).replay.capacity = 30'000;
  EXPECT_THAT(error_of([&] { variation_of("actors", few); }), HasSubstr("replay.min_fill"));
}

// Without evictions no replay is more recent than another. Seen failing without either check.
TEST(ApexStudies, EverySettingFillsItsReplay) {
  auto large = config();
  dynamic_cast<ApexSystem&>(*large.system).replay.capacity = 400'000;
  for (const auto* study : {"actors", "recency"}) {
    EXPECT_THAT(error_of([&] { variation_of(study, large); }), HasSubstr("set it to 310000"));
  }
  large.run.steps = 700'000;
  EXPECT_THAT(error_of([&] { variation_of("priorities", large); }),
              HasSubstr("replay.capacity=350000"));
}

TEST(ApexStudies, EachCanBeVaried) {
  for (const auto& study : apex_studies()) {
    const auto variation = variation_of(study.name, config());
    EXPECT_EQ(error_of([&] { std::ignore = parse_variation(variation); }), "") << study.name;
  }
}

// Seen failing when each setting made as many updates as its learner found time for.
TEST(ApexStudies, EqualUpdatesTakeALimiter) {
  auto free = config();
  dynamic_cast<ApexSystem&>(*free.system).replay.samples_per_insert = 0;
  for (const auto* study : {"actors", "recency"}) {
    EXPECT_THAT(error_of([&] { variation_of(study, free); }), HasSubstr("samples_per_insert"));
  }
}

TEST(ApexStudies, SayWhatLeavesNothingToVary) {
  auto small = config();
  dynamic_cast<ApexSystem&>(*small.system).config.envs = 1;
  EXPECT_THAT(error_of([&] { variation_of("recency", small); }), HasSubstr("apex.envs"));
  EXPECT_THAT(error_of([&] { variation_of("epsilons", small); }), HasSubstr("apex.envs"));
  dynamic_cast<ApexSystem&>(*small.system).replay.min_fill = 300'000;
  EXPECT_THAT(error_of([&] { variation_of("capacity", small); }), HasSubstr("replay.min_fill"));
  EXPECT_THAT(error_of([&] { variation_of("colours", small); }), HasSubstr("epsilons"));
}

}  // namespace
}  // namespace tandem
