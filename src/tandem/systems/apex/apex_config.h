// Ape-X's hyperparameters.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of Ape-X, without those of its loss, replay and optimizer. Value type.
struct ApexConfig {
  std::int64_t actors = 8;            // threads that play; the paper: 360 machines
  std::int64_t envs = 1;              // of each actor; each counts as an actor of the paper
  std::int64_t n = 3;                 // steps between S_t and S_{t+n}
  std::int64_t batch = 512;           // transitions of an update
  std::int64_t prefetch = 16;         // the most batches that may wait for the learner
  std::int64_t refresh_frames = 400;  // an environment's frames between two parameter copies
  std::int64_t trim_updates = 100;    // updates between two trims to the replay's capacity
  std::int64_t copies = 1;            // of each transition in the replay
  std::int64_t restarts = 3;          // the most restarts of an actor after errors
  bool keep_replay = true;            // checkpoints include the replay
  bool lockstep = false;              // actors and learner take turns, in a fixed order

  FieldList fields();
};

}  // namespace tandem
