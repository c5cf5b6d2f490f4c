// The factory with which threads get their own networks.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "tandem/nn/network.h"

namespace tandem {

/// Makes a network over parameters that it does not own and that must outlive it. Safe to call from
/// many threads.
using NetworkFactory = std::function<std::unique_ptr<Network>(std::span<const float> parameters)>;

}  // namespace tandem
