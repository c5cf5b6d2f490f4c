// One network for the policy and another for the value.
#pragma once

#include <memory>
#include <span>

#include "tandem/nn/composed/part_factory.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The two networks of a separate architecture. `make` makes each of them from its part of the
/// parameters, which must outlive it. A sample's state is the policy's state followed by the
/// value's.
std::unique_ptr<Network> make_separate_network(const Architecture& architecture,
                                               std::span<const float> parameters,
                                               const PartFactory& make);

}  // namespace tandem
