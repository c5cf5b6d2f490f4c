// Forecasts the rates of a training on a cluster, and the resource that limits them.
#pragma once

#include <string>
#include <vector>

#include "tandem/study/cluster_load.h"

namespace tandem {

/// A resource of a cluster and its use. Value type.
struct ClusterUse {
  std::string name;  // "learner", "learner's machine's cores", ...
  double share = 0;  // of the part of it that can be busy; above 1: more than there is
};

/// A training on a cluster as it is expected to go. Value type.
struct ClusterForecast {
  ClusterRates rates;
  ClusterLoad load;
  ClusterMemory memory;
  std::vector<ClusterUse> uses = {};  // the most used first; this one saturates first
};

/// The forecast at given rates, which the cluster may not be able to carry. Pure.
[[nodiscard]] ClusterForecast forecast_at(const ClusterWork& work, const CarrierCosts& carrier,
                                          const ClusterShape& shape, const ClusterRates& rates);

/// Rates with these steps a second over all actors, each of which makes as many. Pure.
[[nodiscard]] ClusterRates even_rates(const ClusterShape& shape, double steps, double updates);

/// The forecast at the highest rates that the cluster can carry. If the limiter couples steps and
/// updates, the first resource to saturate bounds both; learner and actors then wait for each
/// other. Otherwise each runs as fast as it can, and where they share a machine, each of their
/// threads gets as much of its cores. Pure.
[[nodiscard]] ClusterForecast forecast_cluster(const ClusterWork& work, const CarrierCosts& carrier,
                                               const ClusterShape& shape);

}  // namespace tandem
