// Ape-X's roles taking turns, so that a run repeats bit by bit.
#pragma once

#include "tandem/systems/apex/apex_config.h"

namespace tandem {

struct ReplayConfig;
struct TrainingContext;

/// Algorithms 1 and 2 in a fixed order. In each round every actor takes one step, the replay
/// receives the actors' full segments by rank, and the learner makes all the updates that
/// replay.samples_per_insert allows. All actors renew their parameters in the same rounds. The
/// config, the seed and nothing else decide the bits of a run: threads share the work of a round,
/// but not its order. Trains until the run's budget is used up or it is asked to stop. Restarts
/// actors and throws as train_apex() does.
void train_apex_in_lockstep(const ApexConfig& config, const ReplayConfig& replay,
                            TrainingContext& context);

}  // namespace tandem
