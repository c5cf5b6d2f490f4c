#include "tandem/cluster/apex/apex_way.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tandem/cluster/cluster_link.h"
#include "tandem/systems/apex/apex_system.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

TEST(ApexWay, LockstepNeedsOneActorAndOneShard) {
  ApexSystem system;
  system.config.actors = 1;
  system.config.lockstep = true;
  system.replay.samples_per_insert = 2;
  const auto way = make_apex_way();
  const auto check = [&](int shards) {
    way->on_cluster(system, std::make_shared<ClusterLink>(Sender{}, shards))->check();
  };
  const auto refusal = testing::HasSubstr("one actor and one shard");
  EXPECT_NO_THROW(check(1));
  EXPECT_THAT(error_of([&] { check(2); }), refusal);
  system.config.actors = 2;
  EXPECT_THAT(error_of([&] { check(1); }), refusal);
  system.config.lockstep = false;
  EXPECT_NO_THROW(check(2));
}

}  // namespace
}  // namespace tandem
