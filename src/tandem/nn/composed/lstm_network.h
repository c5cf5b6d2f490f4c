// Recurrent networks. A3C, section 5.1.
#pragma once

#include <memory>
#include <span>

#include "tandem/nn/composed/part_factory.h"
#include "tandem/nn/network.h"

namespace tandem {

/// architecture.lstm > 0 cells with their heads, computed on the CPU. `make_below` makes the torso
/// below them from the first part of the parameters. Gradients go back through the recorded
/// sequences (see Inputs::follows), but not beyond the beginning of an episode or the last
/// backward(). `parameters` must outlive the network.
std::unique_ptr<Network> make_lstm_network(const Architecture& architecture,
                                           std::span<const float> parameters,
                                           const PartFactory& make_below);

}  // namespace tandem
