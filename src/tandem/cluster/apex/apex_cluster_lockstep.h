// Ape-X in turns, with the actors and the replay in other processes.
#pragma once

#include "tandem/systems/apex/apex_config.h"

namespace tandem {

class ClusterLink;
struct ReplayConfig;
struct TrainingContext;

/// As train_apex_in_lockstep(), with the same bits, on a cluster of one actor and one shard, which
/// the system's check() requires: the learner orders each round and waits until it has ended.
/// Throws Error when the actor or the shard is lost, because its state cannot be made again.
void train_apex_cluster_in_lockstep(const ApexConfig& config, const ReplayConfig& replay,
                                    TrainingContext& context, ClusterLink& link);

}  // namespace tandem
