// Recurrent networks. A3C, section 5.1.
#pragma once

#include <memory>
#include <span>

#include "tandem/nn/composed/part_factory.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The network of an architecture with LSTM cells; the cells and the heads are computed on the CPU.
/// `make_below` makes the network below the cells, over the first part of the parameters.
/// backward() backpropagates through the recorded sequences (see Inputs::follows), but not beyond
/// the beginning of an episode or the previous backward(). `parameters` must outlive the network.
std::unique_ptr<Network> make_lstm_network(const Architecture& architecture,
                                           std::span<const float> parameters,
                                           const PartFactory& make_below);

}  // namespace tandem
