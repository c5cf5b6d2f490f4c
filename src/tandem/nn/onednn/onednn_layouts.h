// The layouts of activations and weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tandem/nn/onednn/onednn_call.h"

namespace tandem::onednn {

/// The dimensions of a batch of samples.
Dims batch_of(std::int64_t batch, const Dims& sample);

/// The count of one sample's numbers.
std::int64_t count_of(const Dims& sample);

/// PyTorch's layout of a tensor with so many dimensions, 1 to 4.
Tag plain_tag(std::size_t dimensions);

/// The name of the layout that oneDNN chose for activations.
Tag tag_of(const Desc& desc);

/// The number of channels that lie together in an image of this layout.
std::int64_t block_of(Tag tag, std::int64_t channels);

}  // namespace tandem::onednn
