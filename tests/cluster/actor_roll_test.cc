#include "tandem/cluster/actor_roll.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// Seen failing: the second resume began the actor's games anew.
TEST(ActorRoll, KeepsTheSavedGamesOfAnActorThatIsNotBackYet) {
  Checkpoint resume;
  resume.add_blob("actor_1", {std::byte{7}});
  const ActorRoll roll({.run = 1, .epoch = 1}, 2, 1, [](const ActorPlayed&, std::int64_t) {});
  Checkpoint checkpoint;
  roll.save(&resume, checkpoint);
  EXPECT_TRUE(checkpoint.blobs.contains("actor_1"));
  EXPECT_FALSE(checkpoint.blobs.contains("actor_0"));
}

}  // namespace
}  // namespace tandem
