#include "tandem/trainer/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/cluster/apex/apex_way.h"
#include "tandem/cluster/cluster_way.h"
#include "tandem/cluster/impala/impala_way.h"

namespace tandem {
namespace {

/// All systems that train on a cluster.
const std::array<std::unique_ptr<const ClusterWay>, 2>& cluster_ways() {
  static const std::array<std::unique_ptr<const ClusterWay>, 2> ways = {make_apex_way(),
                                                                        make_impala_way()};
  return ways;
}

const ClusterWay* find_way(const System& system) {
  for (const auto& way : cluster_ways()) {
    if (way->serves(system)) return way.get();
  }
  return nullptr;
}

}  // namespace

const ClusterWay& cluster_way_of(const System& system) {
  if (const auto* way = find_way(system)) return *way;
  std::vector<std::string> names;
  for (const auto& one : published()->systems) {
    if (find_way(*one) != nullptr) names.push_back(one->info().name);
  }
  throw Error(fmt::format("{} does not train on a cluster; these systems do: {}",
                          system.info().name, fmt::join(names, ", ")));
}

}  // namespace tandem
