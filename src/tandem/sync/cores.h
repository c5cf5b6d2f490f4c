// Assigns threads to cores.
#pragma once

#include <span>
#include <vector>

namespace tandem {

/// The cores that the calling thread may use, by the system's numbers, ascending: its affinity
/// mask. Empty on machines with more cores than a mask holds. Safe from many threads.
[[nodiscard]] std::vector<int> usable_cores();

/// Restricts the calling thread, and threads that it starts later, to these cores. Does nothing if
/// there are none, or if the system refuses. Safe from many threads.
void keep_to(std::span<const int> cores);

}  // namespace tandem
