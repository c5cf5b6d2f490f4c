// IMPALA: Espeholt et al., "IMPALA: Scalable distributed deep-RL with importance weighted
// actor-learner architectures" (2018), on one machine, as HTS-RL's paper compares with it.
#pragma once

#include "tandem/systems/impala/impala_config.h"

namespace tandem {

struct TrainingContext;

/// Section 3: actors play by the parameters that they took at the start of an unroll, and one
/// learner moves the parameters by batches of what they did, corrected by V-trace; until the run's
/// budget is used up or it is asked to stop. Results depend on the threads' timing.
void train_impala(const ImpalaConfig& config, TrainingContext& context);

}  // namespace tandem
