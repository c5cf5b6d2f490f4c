// The A3C family: Mnih et al., "Asynchronous methods for deep reinforcement learning" (2016).
#pragma once

#include "tandem/systems/a3c/a3c_config.h"

namespace tandem {

struct TrainingContext;

/// Trains by section 4's asynchronous advantage actor-critic, or by another algorithm in the same
/// framework, until the run's budget is used up or it is asked to stop. Each thread has its own
/// environment, exploration and parameters; the result depends on the threads' timing and differs
/// from run to run. With one thread it is the same, bit by bit, whether or not the run was stopped
/// and resumed.
void train_a3c(const A3cConfig& config, TrainingContext& context);

}  // namespace tandem
