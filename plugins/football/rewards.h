// The rewards of football.
#pragma once

#include <cstdint>
#include <vector>

#include "game.h"
#include "tandem/base/state.h"

namespace tandem::football {

/// Ten rewards of 0.1 for carrying the ball towards the other team's goal, once each in an episode
/// (Kurach et al. 2019, section 3.3; CheckpointRewardWrapper of the package). A goal pays those
/// that are left. HTS-RL trains with them (`scoring,checkpoints` of its published code). Value
/// type.
class CheckpointRewards {
 public:
  explicit CheckpointRewards(std::int64_t agents);

  /// Begins an episode.
  void reset();

  /// The reward of one agent after a step in which the score changed by `score_change`.
  float reward(std::int64_t agent, std::int32_t score_change, const Situation& now);

  void save(StateWriter& writer) const { writer.put_values(collected_); }
  void load(StateReader& reader);

 private:
  std::vector<std::int32_t> collected_;  // by agent
};

}  // namespace tandem::football
