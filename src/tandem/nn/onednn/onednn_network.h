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
/// policy; those consist of several networks. If the first convolution goes over cells (see Cells)
/// of stride 2 or 4, it reads images of bytes in place, without a copy in floats. It reorders the
/// weights once for each reload(), and its buffers stay from one call to the next. `parameters`
/// must outlive it. With bf16 all layers except the heads compute in bfloat16, which also rounds
/// observations that are numbers. Throws Error if this CPU has no instructions for `precision`.
std::unique_ptr<Network> make_onednn_network(const Architecture& architecture,
                                             std::span<const float> parameters,
                                             Precision precision);

}  // namespace tandem
