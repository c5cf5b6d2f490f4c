// Measures the work of a cluster's parts on this machine.
#pragma once

#include "tandem/cluster/cluster_work.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Measures the parts of the config's system for about `seconds`, on as many of this machine's
/// cores as a cluster's machine has, for they share caches and memory. The learner has the config's
/// threads. Throws Error for a system that has no forecast for a cluster, and when
/// `stop_requested` has returned true, since there is no result then.
[[nodiscard]] ClusterWork measure_cluster_work(const Config& config, int cores, double seconds,
                                               const StopRequested& stop_requested);

}  // namespace tandem
