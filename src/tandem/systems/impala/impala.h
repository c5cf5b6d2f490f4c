// IMPALA: Espeholt et al., "IMPALA: Scalable distributed deep-RL with importance weighted
// actor-learner architectures" (2018), on one machine, as HTS-RL's paper compares with it.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

struct Parts;

/// The numbers of IMPALA beyond those of its loss and optimizer. Value type.
struct ImpalaConfig {
  std::int64_t actors = 8;   // threads that play
  std::int64_t envs = 4;     // of each actor; the paper: 1
  std::int64_t unroll = 20;  // steps of an actor by the same parameters
  std::int64_t batch = 32;   // trajectories of an update
  std::int64_t queue = 8;    // actors' unrolls that wait for the learner, at most

  FieldList fields();
};

/// Section 3: actors play by the parameters that they took at the start of an unroll, and one
/// learner moves the parameters by batches of what they did, corrected by V-trace; until the run's
/// budget is used up or it is asked to stop. Results depend on the threads' timing.
void train_impala(const ImpalaConfig& config, Parts& parts);

}  // namespace tandem
