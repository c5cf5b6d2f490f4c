// The parts of a cluster as Python carries their messages.
#pragma once

#include <nanobind/nanobind.h>

namespace tandem::python {

/// Adds the classes of clusters to the extension module.
void bind_cluster(nanobind::module_& module);

/// Adds the classes that load a replay, for benchmarks.
void bind_cluster_load(nanobind::module_& module);

}  // namespace tandem::python
