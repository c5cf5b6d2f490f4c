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

/// The cells into which images of bytes are cut for the first convolution. Empty if observations
/// are not such images, if cells do not suit the convolution (see Cells), or if the filters would
/// not fill SIMD registers.
std::optional<Cells> first_cells(const Architecture& architecture);

/// The torso's layers, then the heads as one layer. Each takes its input in the layout that the
/// layer before wrote. The first takes cells, images with their channels last or, if it is a dense
/// layer, a vector. The context must outlive them.
std::vector<Layer> make_layers(Context& context, const Architecture& architecture,
                               Precision precision);

/// Bytes of one sample's input to each layer.
std::vector<std::size_t> input_sizes(const std::vector<Layer>& layers);

}  // namespace tandem::onednn
