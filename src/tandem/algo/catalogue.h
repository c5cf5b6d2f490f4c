// The algorithms of tandem.
#pragma once

#include <memory>
#include <vector>

#include "tandem/algo/algorithm_entry.h"

namespace tandem {

/// All algorithms, in the order of the table that `tandem systems` prints.
[[nodiscard]] std::vector<std::shared_ptr<const AlgorithmEntry>> published_algorithms();

}  // namespace tandem
