// Networks computed by oneDNN on the CPU.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tandem/nn/network.h"

namespace tandem {

/// oneDNN's version, "2.6.3"; empty where the build has no oneDNN. Thread-safe.
std::string onednn_version();

/// The network of any architecture without an LSTM, a separate value network or a deterministic
/// policy; those are made of several. It reads images of bytes where they are, without a copy in
/// floats, where the first convolution goes over cells (see Cells) of stride 2 or 4. It reorders
/// the weights once for each reload(), and its buffers stay from one call to the next. `parameters`
/// must outlive it. With bf16 all layers but the heads compute in bfloat16, which rounds
/// observations that are numbers, too. Throws Error where this CPU has no instructions for
/// `precision`.
std::unique_ptr<Network> make_onednn_network(const Architecture& architecture,
                                             std::span<const float> parameters,
                                             Precision precision);

}  // namespace tandem
