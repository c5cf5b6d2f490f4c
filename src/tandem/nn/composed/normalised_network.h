// A network behind the running statistics of its inputs.
#pragma once

#include <memory>
#include <span>

#include "tandem/nn/composed/part_factory.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The network of architecture.without_statistics(), which `make` makes with any library, over
/// observations that InputNormaliser shifts and scales. Separate networks and the layers below an
/// LSTM so share one set of statistics. The gradient of the statistics is 0.
std::unique_ptr<Network> make_normalised_network(const Architecture& architecture,
                                                 std::span<const float> parameters,
                                                 const PartFactory& make);

}  // namespace tandem
