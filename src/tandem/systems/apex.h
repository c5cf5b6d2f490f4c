// Ape-X: Horgan et al., "Distributed prioritized experience replay" (2018), on one machine.
#pragma once

#include <cstdint>

#include "tandem/algo/dqn.h"
#include "tandem/base/field.h"
#include "tandem/replay/table.h"

namespace tandem {

struct Parts;

/// The numbers of Ape-X beyond those of its loss, replay and optimizer. Value type.
struct ApexConfig {
  std::int64_t actors = 8;            // threads that play; the paper: 360 machines
  std::int64_t envs = 1;              // of each actor, which count as an actor each
  std::int64_t n = 3;                 // steps between S_t and S_{t+n}
  std::int64_t batch = 512;           // transitions of an update
  std::int64_t prefetch = 16;         // batches that wait for the learner, at most
  std::int64_t refresh_frames = 400;  // of an environment, between two looks at the parameters
  std::int64_t trim_updates = 100;    // between two removals of what is more than the capacity

  FieldList fields();
};

/// Algorithms 1 and 2: actors play by copies of the parameters and fill the replay; one learner
/// moves the parameters by what it draws there, until the run's budget is used up or it is asked to
/// stop. A step is one of an actor. Results depend on the threads' timing.
void train_apex(const ApexConfig& config, const DqnConfig& dqn, const ReplayConfig& replay,
                Parts& parts);

}  // namespace tandem
