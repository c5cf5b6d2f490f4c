// The parts of a cluster as Python carries their messages.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "tandem/cluster/roles.h"

namespace tandem::python {

/// Adds the classes of clusters to the extension module.
void bind_cluster(nanobind::module_& module);

/// The order of a part, from the words of the bindings. Pure.
RoleOrder order_of(const std::string& config, const std::string& python, std::uint64_t run,
                   std::uint32_t epoch, std::uint64_t incarnation, int rank, int shards);

/// Adds the classes that load a replay, for benchmarks.
void bind_cluster_load(nanobind::module_& module);

}  // namespace tandem::python
