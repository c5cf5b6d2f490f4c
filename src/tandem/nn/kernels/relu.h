// The backward pass of a ReLU.
#pragma once

#include <cstddef>

#include "tandem/nn/kernels/bfloat16.h"

namespace tandem {

/// Computes the `count` gradients before a ReLU from `d`, the gradients after it, and `y`, its
/// outputs. `out` may be `d`. Stateless; safe to call from many threads.
void relu_backward(std::size_t count, const float* y, const float* d, float* out);
void relu_backward(std::size_t count, const float* y, const float* d, Bfloat16* out);
void relu_backward(std::size_t count, const Bfloat16* y, const Bfloat16* d, Bfloat16* out);

}  // namespace tandem
