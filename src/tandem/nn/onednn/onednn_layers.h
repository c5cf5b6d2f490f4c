// The layers of an architecture, as oneDNN computes them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/pixels.h"
#include "tandem/nn/network.h"
#include "tandem/nn/onednn/onednn_layer.h"

namespace tandem::onednn {

/// How images of bytes are cut up for the first convolution: none where observations are others, or
/// where cells do not serve (see Cells), or where the filters would not fill SIMD registers.
std::optional<Cells> first_cells(const Architecture& architecture);

/// The torso's layers, then the heads as one. Each takes its input in the layout in which the one
/// before wrote it. The first takes cells, or images with their channels last, or, where it is a
/// dense layer, a vector. The context must outlive them.
std::vector<Layer> make_layers(Context& context, const Architecture& architecture,
                               Precision precision);

/// Bytes of one sample, as each layer takes it.
std::vector<std::size_t> input_sizes(const std::vector<Layer>& layers);

}  // namespace tandem::onednn
