// The published systems that tandem can train with.
#pragma once

#include <memory>
#include <vector>

#include "tandem/systems/system.h"

namespace tandem {

/// A prototype of each system with its default hyperparameters, in the order of the table that
/// `tandem systems` prints. A config that names no system uses the first one.
[[nodiscard]] std::vector<std::shared_ptr<const System>> published_systems();

}  // namespace tandem
