// What a step of Ape-X costs a single core: the limit that it is held to.
#pragma once

#include "tandem/systems/apex/apex.h"
#include "tandem/systems/common/step_costs.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// As measure_step_costs, of an actor's step, and of `samples` of the learner's: drawn from a
/// replay, learned from, and given new priorities. What the replay takes in counts as inference.
StepCosts measure_apex_costs(const ApexConfig& config, const ReplayConfig& replay,
                             const TrainingContext& context, double samples, int cores,
                             double seconds);

}  // namespace tandem
