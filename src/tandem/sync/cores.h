// Assigns threads to cores.
#pragma once

#include <span>
#include <vector>

namespace tandem {

/// The affinity mask of the calling thread: the system's numbers of the cores that it may use, in
/// ascending order. Empty on machines with more cores than a mask holds. Thread-safe.
[[nodiscard]] std::vector<int> usable_cores();

/// Restricts the calling thread, and threads that it starts later, to these cores. Does nothing if
/// there are none, or if the system refuses. Thread-safe.
void keep_to(std::span<const int> cores);

}  // namespace tandem
