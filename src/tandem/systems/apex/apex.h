// Ape-X: Horgan et al., "Distributed prioritized experience replay" (2018), on one machine.
#pragma once

#include "tandem/replay/table.h"
#include "tandem/systems/apex/apex_config.h"

namespace tandem {

struct ActorContext;
struct ApexActorOptions;
struct EnvSpec;
struct TrainingContext;

/// What actor `rank` plays, and how.
ApexActorOptions actor_options(const ApexConfig& config, const ReplayConfig& replay,
                               const ActorContext& context, const EnvSpec& spec, int rank);

/// Algorithms 1 and 2: actors play by copies of the parameters and fill the replay; one learner
/// moves the parameters by what it draws there, until the run's budget is used up or it is asked to
/// stop. A step is one of an actor. An actor that an error ends begins anew, with its own epsilon
/// (section 4.1), config.restarts times. Results depend on the threads' timing. Throws Error early
/// where the replay needs more memory than there is. The context's algorithm, section 3.1's DQN or
/// section 3.2's DPG, learns from a replay.
void train_apex(const ApexConfig& config, const ReplayConfig& replay, TrainingContext& context);

}  // namespace tandem
