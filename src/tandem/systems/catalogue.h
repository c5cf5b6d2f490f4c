// The published systems that tandem can train with.
#pragma once

#include <memory>
#include <vector>

#include "tandem/systems/system.h"

namespace tandem {

/// A prototype of each system with the numbers of its struct, in the order of the table that
/// `tandem systems` prints. The first is the one of a config that names none.
[[nodiscard]] std::vector<std::shared_ptr<const System>> published_systems();

}  // namespace tandem
