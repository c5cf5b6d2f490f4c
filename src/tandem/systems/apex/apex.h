// Ape-X: Horgan et al., "Distributed prioritized experience replay" (2018), on one machine.
#pragma once

#include "tandem/replay/table.h"
#include "tandem/systems/apex/apex_config.h"

namespace tandem {

struct TrainingContext;

/// Algorithms 1 and 2: actors play with copies of the parameters and fill the replay; one learner
/// updates the parameters with batches drawn from the replay. Trains until the run's budget is used
/// up or it is asked to stop. The run's steps are those of the actors. If an error ends an actor,
/// the actor restarts with its own epsilon (section 4.1), at most config.restarts times. Results
/// depend on the threads' timing, unless config.lockstep lets the roles take turns. Throws Error
/// early if the replay needs more memory than is available. The context's algorithm, section 3.1's
/// DQN or section 3.2's DPG, learns from a replay.
void train_apex(const ApexConfig& config, const ReplayConfig& replay, TrainingContext& context);

}  // namespace tandem
