// IMPALA on a cluster.
#pragma once

#include <memory>

#include "tandem/cluster/cluster_way.h"

namespace tandem {

[[nodiscard]] std::unique_ptr<const ClusterWay> make_impala_way();

}  // namespace tandem
