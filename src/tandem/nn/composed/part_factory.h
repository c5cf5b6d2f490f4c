// The factory with which composed networks make their parts.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "tandem/nn/network.h"

namespace tandem {

/// Makes a part of a composed network: a network of the part's own architecture over its share of
/// the parameters, which must outlive it.
using PartFactory =
    std::function<std::unique_ptr<Network>(const Architecture&, std::span<const float> parameters)>;

}  // namespace tandem
