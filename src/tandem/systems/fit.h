// Decides which system can train with which algorithm.
#pragma once

#include <string>

#include "tandem/algo/traits.h"
#include "tandem/systems/system.h"

namespace tandem {

/// The reason why a system with these requirements cannot train with such an algorithm; empty: it
/// can. Pure.
[[nodiscard]] std::string misfit(const Requirements& system, const AlgorithmTraits& algorithm);

}  // namespace tandem
