// GA3C: Babaeizadeh et al., "Reinforcement learning through asynchronous advantage actor-critic on
// a GPU" (2017).
#pragma once

#include "tandem/systems/ga3c/ga3c_config.h"

namespace tandem {

struct TrainingContext;

/// Section 4.1: agents play, predictors answer them with the policy, and trainers update the one
/// model. Trains until the run's budget is used up or it is asked to stop. Results depend on the
/// threads' timing, also after a resume.
void train_ga3c(const Ga3cConfig& config, TrainingContext& context);

}  // namespace tandem
