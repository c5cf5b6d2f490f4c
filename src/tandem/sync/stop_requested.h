// Asks a long piece of work to end.
#pragma once

#include <functional>

namespace tandem {

/// The work calls it now and then, from any of its threads, and ends soon after it returned true.
using StopRequested = std::function<bool()>;

}  // namespace tandem
