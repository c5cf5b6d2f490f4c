// A deterministic policy and its critic as one network. Ape-X, section 3.2.
#pragma once

#include <memory>
#include <span>

#include "tandem/nn/network.h"

namespace tandem {

/// The policy and the critic of a deterministic() architecture, in plain C++ on the CPU. The policy
/// head is pi(s), within the bounds of the environment's actions; the value is q(s, pi(s)). As a
/// critic() the network also values other actions. backward() computes the gradient of one loss of
/// both heads; DPG itself has two losses, one for each set of parameters (DpgGradient).
/// `parameters` must outlive the network.
std::unique_ptr<Network> make_dpg_network(const Architecture& architecture,
                                          std::span<const float> parameters);

}  // namespace tandem
