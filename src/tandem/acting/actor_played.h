// The report of an actor.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/state.h"
#include "tandem/env/vec_env.h"

namespace tandem {

/// An actor's play since its last report. Value type.
struct ActorPlayed {
  std::int64_t steps = 0;
  std::vector<Episode> episodes = {};
  TimeShares seconds = {};

  void save(StateWriter& writer) const;
  static ActorPlayed load(StateReader& reader);
};

}  // namespace tandem
