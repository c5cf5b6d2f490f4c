// The layers of an architecture, as oneDNN computes them.
#pragma once

#include <cstddef>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/pixels.h"
#include "tandem/nn/network.h"
#include "tandem/nn/onednn/onednn_layer.h"

namespace tandem::onednn {

/// How the image is cut up for the first convolution.
Cells first_cells(const Architecture& architecture);

/// The torso's layers, then the heads as one. Each takes its input in the layout in which the one
/// before wrote it. The context must outlive them.
std::vector<Layer> make_layers(Context& context, const Architecture& architecture,
                               Precision precision);

/// Bytes of one sample, as each layer takes it.
std::vector<std::size_t> input_sizes(const std::vector<Layer>& layers);

}  // namespace tandem::onednn
