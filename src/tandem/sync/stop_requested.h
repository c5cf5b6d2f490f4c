// A request to end a long computation.
#pragma once

#include <functional>

namespace tandem {

/// The computation calls it now and then, from any of its threads, and ends soon after it has
/// returned true.
using StopRequested = std::function<bool()>;

}  // namespace tandem
