// The work of Ape-X's parts on a cluster.
#pragma once

#include "tandem/cluster/cluster_work.h"
#include "tandem/replay/table.h"
#include "tandem/systems/apex/apex_config.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// Measures the work of an actor, a shard and a learner with context.threads threads, for about
/// `seconds` on each of `cores` cores at once. An actor's messages go to the shard, and the shard's
/// answers to the learner, as on a cluster but without a carrier. Leaves context.learner as it is.
[[nodiscard]] ClusterWork measure_apex_work(const ApexConfig& config, const ReplayConfig& replay,
                                            const TrainingContext& context, int cores,
                                            double seconds);

}  // namespace tandem
