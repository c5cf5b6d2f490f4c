#include "tandem/cluster/impala/impala_player.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// The version of an unroll that an actor began with parameters of this version, at a learner whose
/// model has version 3.
std::int64_t version_after_loading(std::int64_t version) {
  const EnvSpec spec{.frame_shape = {4}, .num_actions = 2};
  const Experience played{.rollout = Rollout(spec, 2, 1), .version = version};
  StateWriter writer;
  save_experience(played, writer);
  StateReader reader(writer.bytes());
  Experience loaded{Rollout(spec, 2, 1)};
  load_experience(reader, spec, 0, 1, 3, loaded);
  return loaded.version;
}

// The lag in updates was negative.
TEST(ImpalaPlayer, AnUnrollOfALostLearnersParametersIsNotNewerThanTheModel) {
  EXPECT_EQ(version_after_loading(2), 2);
  EXPECT_EQ(version_after_loading(50'000), 3);
  EXPECT_THROW(version_after_loading(-1), Error);
}

}  // namespace
}  // namespace tandem
