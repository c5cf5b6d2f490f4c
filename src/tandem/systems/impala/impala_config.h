// IMPALA's hyperparameters.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of IMPALA, without those of its loss and optimizer. Value type.
struct ImpalaConfig {
  std::int64_t actors = 8;   // threads that play
  std::int64_t envs = 4;     // of each actor; the paper: 1
  std::int64_t unroll = 20;  // steps that an actor plays with the same parameters
  std::int64_t batch = 32;   // the fewest trajectories of an update
  std::int64_t queue = 8;    // capacity: the most unrolls that may wait for the learner

  FieldList fields();
};

}  // namespace tandem
