// IMPALA: Espeholt et al., "IMPALA: Scalable distributed deep-RL with importance weighted
// actor-learner architectures" (2018), on one machine, as in the comparisons of HTS-RL's paper.
#pragma once

#include "tandem/systems/impala/impala_config.h"

namespace tandem {

struct TrainingContext;

/// Section 3: actors play with the parameters that they copied at the start of an unroll, and one
/// learner updates the parameters with batches of this experience, corrected by V-trace. Trains
/// until the run's budget is used up or it is asked to stop. Results depend on the threads' timing.
void train_impala(const ImpalaConfig& config, TrainingContext& context);

}  // namespace tandem
