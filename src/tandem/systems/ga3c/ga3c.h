// GA3C: Babaeizadeh et al., "Reinforcement learning through asynchronous advantage actor-critic on
// a GPU" (2017).
#pragma once

#include "tandem/systems/ga3c/ga3c_config.h"

namespace tandem {

struct TrainingContext;

/// Section 4.1: agents play, predictors tell them their policy, trainers move the one model; until
/// the run's budget is used up or it is asked to stop. Results depend on the threads' timing, also
/// those of a resumed run.
void train_ga3c(const Ga3cConfig& config, TrainingContext& context);

}  // namespace tandem
