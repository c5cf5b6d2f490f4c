// Networks computed by oneDNN on the CPU.
#pragma once

#include <memory>
#include <span>

#include "tandem/nn/network.h"

namespace tandem {

/// Whether make_onednn_network() can compute the architecture: u8 images, ReLUs, convolutions with
/// multiples of 16 filters, which fill oneDNN's blocks, and a first kernel that cells can cut up
/// (see Cells). A build without oneDNN supports none.
bool onednn_supports(const Architecture& architecture);

/// A network that reads u8 images where they are, without a copy in floats. It reorders the weights
/// once for each reload(), and its buffers stay from one call to the next. `parameters` must
/// outlive it. Throws Error where this CPU has no instructions for `precision`.
std::unique_ptr<Network> make_onednn_network(const Architecture& architecture,
                                             std::span<const float> parameters,
                                             Precision precision);

}  // namespace tandem
