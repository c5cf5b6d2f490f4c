// Which cores threads run on.
#pragma once

#include <span>
#include <vector>

namespace tandem {

/// The cores that the calling thread may use, by the system's numbers, ascending: its affinity
/// mask. Empty on machines with more cores than a mask holds. Safe from many threads.
[[nodiscard]] std::vector<int> usable_cores();

/// From now on the calling thread, and those that it starts, run on these cores alone, if there are
/// any. Best effort: where the system refuses, they run as before. Safe from many threads.
void keep_to(std::span<const int> cores);

}  // namespace tandem
