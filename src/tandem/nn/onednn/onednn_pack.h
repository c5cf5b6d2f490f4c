// Weights in the layout of a primitive.
#pragma once

#include <functional>

#include "tandem/nn/onednn/onednn_call.h"

namespace tandem::onednn {

/// A function that copies the weights at `plain`, as PyTorch has them, into `packed`. It is our own
/// where that is faster than oneDNN's reordering, with the same bits for all normal numbers. The
/// context must outlive it.
std::function<void()> make_pack(Context& context, const dnnl::memory& plain,
                                const dnnl::memory& packed);

}  // namespace tandem::onednn
