// The layers of an architecture, as oneDNN computes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/pixels.h"
#include "tandem/nn/network.h"
#include "tandem/nn/onednn/onednn_stage.h"

namespace tandem::onednn {

/// The cells into which images of bytes are cut for the first convolution. Empty if observations
/// are not such images, if cells do not suit the convolution (see Cells), or if the filters would
/// not fill SIMD registers.
std::optional<Cells> first_cells(const Architecture& architecture);

using Stages = std::vector<std::unique_ptr<Stage>>;

/// The torso's layers and sections, then the heads as one layer. Each takes its input in the layout
/// that the one before wrote. The first takes cells, images with their channels last or, if it is a
/// dense layer, a vector. The context must outlive them.
Stages make_stages(Context& context, const Architecture& architecture, Precision precision);

/// Bytes of one sample in each slot of a tape: the input of each stage, then what each stage keeps
/// besides (Samples::kept).
std::vector<std::size_t> slot_sizes(const Stages& stages);

/// The number of stages over images, which come first.
std::size_t image_stages_in(const Architecture& architecture);

/// The number of samples that go through the first `images` stages together, forward and backward:
/// their activations and gradients then stay in a core's own cache.
std::int64_t tile_of(const Stages& stages, std::size_t images);

}  // namespace tandem::onednn
