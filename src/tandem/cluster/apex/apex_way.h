// Ape-X on a cluster.
#pragma once

#include <memory>

#include "tandem/cluster/cluster_way.h"

namespace tandem {

[[nodiscard]] std::unique_ptr<const ClusterWay> make_apex_way();

}  // namespace tandem
