// The network of an architecture, by the fastest library that can compute it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// The device is "cpu" or "cuda". oneDNN computes the networks that it supports on the CPU,
/// libtorch all others. An LSTM or a pair of separate networks is built over networks of these
/// libraries. A deterministic policy is computed in plain C++; Error says so where device or
/// precision are others. All other errors are those of the libraries' own factories. `parameters`
/// must outlive the network.
std::unique_ptr<Network> make_network(const Architecture& architecture,
                                      std::span<const float> parameters, const std::string& device,
                                      Precision precision);

}  // namespace tandem
