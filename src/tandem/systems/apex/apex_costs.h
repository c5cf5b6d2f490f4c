// The cost of a step of Ape-X on a single core, to which its speed is compared.
#pragma once

#include "tandem/systems/apex/apex.h"
#include "tandem/systems/common/step_costs.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// Measures like measure_step_costs: an actor's step, and `samples` samples of the learner, which
/// are drawn from a replay, learned from, and given new priorities. Inserting into the replay
/// counts as inference.
StepCosts measure_apex_costs(const ApexConfig& config, const ReplayConfig& replay,
                             const TrainingContext& context, double samples, int cores,
                             double seconds);

}  // namespace tandem
