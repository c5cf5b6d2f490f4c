// A small Ape-X for short runs.
#pragma once

#include "tandem/replay/table.h"
#include "tandem/systems/apex/apex_config.h"

namespace tandem {

/// Three actors of two environments each, whose learner takes small batches.
inline constexpr ApexConfig kSmallApex = {
    .actors = 3, .envs = 2, .batch = 16, .prefetch = 2, .refresh_frames = 20, .trim_updates = 5};

/// A replay that is full, and trimmed, within a short run.
inline ReplayConfig small_replay() {
  return {.capacity = 1000, .min_fill = 200, .samples_per_insert = 2, .slack = 100, .segment = 10};
}

}  // namespace tandem
