// Ape-X whose actors and shards lie in other processes.
#pragma once

#include "tandem/cluster/remote_replay.h"
#include "tandem/systems/apex/apex_config.h"

namespace tandem {

class ClusterLink;
struct ActorContext;
struct TrainingContext;

/// Seconds between two publications of the parameters.
inline constexpr double kApexPublishSeconds = 0.25;

/// The settings with which a learner sees the shards' replay. Pure.
[[nodiscard]] RemoteReplayOptions remote_options(const ApexConfig& config,
                                                 const ReplayConfig& replay,
                                                 const ActorContext& actor);

/// The learner's side of Algorithms 1 and 2 on a cluster: draws batches from the shards, updates
/// the parameters, publishes them to the actors and counts the actors' steps. Trains until the
/// run's budget is used up or it is asked to stop. A lost actor or shard does not end it. Its
/// checkpoints hold the shards and the actors that have spoken lately. Throws Error when another
/// learner has taken over the run.
void train_apex_on_cluster(const ApexConfig& config, const ReplayConfig& replay,
                           TrainingContext& context, ClusterLink& link);

}  // namespace tandem
