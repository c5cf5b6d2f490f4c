// ReLUs, forward and backward.
#pragma once

#include <cstddef>

#include "tandem/nn/kernels/bfloat16.h"

namespace tandem {

/// Computes the `count` gradients before a ReLU from `d`, the gradients after it, and `y`, its
/// outputs. `out` may be `d`. Stateless; safe to call from many threads.
void relu_backward(std::size_t count, const float* y, const float* d, float* out);
void relu_backward(std::size_t count, const float* y, const float* d, Bfloat16* out);
void relu_backward(std::size_t count, const Bfloat16* y, const Bfloat16* d, Bfloat16* out);

/// Writes the larger of each number and 0; NaN gives NaN. Stateless; safe to call from many
/// threads.
void relu_forward(std::size_t count, const float* x, float* out);
void relu_forward(std::size_t count, const float* x, Bfloat16* out);
void relu_forward(std::size_t count, const Bfloat16* x, Bfloat16* out);

/// Adds to the gradients `base` those that pass backward through a ReLU with outputs `y`: the
/// gradient of a residual block's input. `out` may be `base`. Stateless; safe to call from many
/// threads.
void add_relu_backward(std::size_t count, const float* y, const float* d, const float* base,
                       float* out);
void add_relu_backward(std::size_t count, const Bfloat16* y, const Bfloat16* d,
                       const Bfloat16* base, Bfloat16* out);

}  // namespace tandem
