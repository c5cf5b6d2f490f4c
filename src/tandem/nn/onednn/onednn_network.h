// Networks computed by oneDNN on the CPU.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// oneDNN's version, "2.6.3"; empty if the build has no oneDNN. Thread-safe.
std::string onednn_version();

/// The network of any architecture without an LSTM, a separate value network or a deterministic
/// policy; architectures with one of these have several networks. Images of bytes become cells (see
/// Cells) if these suit the first convolution. The weights are reordered once for each reload(),
/// and buffers are reused from call to call. `parameters` must outlive the network. With bf16 all
/// layers except the heads compute in bfloat16, which also rounds observations that are floats.
/// Throws Error if this CPU has no instructions for `precision`.
std::unique_ptr<Network> make_onednn_network(const Architecture& architecture,
                                             std::span<const float> parameters,
                                             Precision precision);

}  // namespace tandem
