// Makes the network of an architecture with the library that computes it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// The device is "cpu" or "cuda". oneDNN computes networks on the CPU, and libtorch computes them
/// on CUDA; in a build without oneDNN libtorch computes all. An LSTM, a pair of separate networks,
/// or a network that normalises its inputs is built over networks of these libraries. A
/// deterministic policy is computed in plain C++, on the CPU and in fp32; any other device or
/// precision throws Error. For further errors see make_onednn_network() and make_torch_network().
/// `parameters` must outlive the network.
std::unique_ptr<Network> make_network(const Architecture& architecture,
                                      std::span<const float> parameters, const std::string& device,
                                      Precision precision);

/// The backend of a network that make_network() makes, as runs record it: "oneDNN 2.6.3",
/// "libtorch", or "tandem" for plain C++. Networks of different backends round differently.
std::string backend_of(const Architecture& architecture, const std::string& device);

/// The backend of such a network in a run that records none. When such runs were made, oneDNN
/// computed only networks that begin with a convolution over bytes and have ReLUs throughout;
/// libtorch computed all others except deterministic policies.
std::string backend_of_old_run(const Architecture& architecture, const std::string& device);

}  // namespace tandem
