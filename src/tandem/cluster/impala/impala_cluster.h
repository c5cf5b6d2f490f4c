// IMPALA whose actors lie in other processes.
#pragma once

#include "tandem/systems/impala/impala_config.h"

namespace tandem {

class ClusterLink;
struct TrainingContext;

/// IMPALA with one learner, as train_impala(), with actors on a cluster: they send unrolls, as far
/// as the learner's queue has room, and receive parameters. Trains until the run's budget is used
/// up or it is asked to stop. A lost actor does not end it. Unrolls in the queue are not part of a
/// checkpoint.
void train_impala_on_cluster(const ImpalaConfig& config, TrainingContext& context,
                             ClusterLink& link);

}  // namespace tandem
