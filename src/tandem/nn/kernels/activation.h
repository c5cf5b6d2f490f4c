// Activation functions, forward and backward.
#pragma once

#include <cstddef>
#include <span>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/bfloat16.h"

namespace tandem {

/// Applies the activation to each number, in place. Stateless; safe to call from many threads.
void activate(Activation activation, std::span<float> x);

/// Computes the `count` gradients before an activation from `d`, the gradients after it, and `y`,
/// its outputs. `out` may be `d`. Stateless; safe to call from many threads.
void activation_backward(Activation activation, std::size_t count, const float* y, const float* d,
                         float* out);
void activation_backward(Activation activation, std::size_t count, const float* y, const float* d,
                         Bfloat16* out);
void activation_backward(Activation activation, std::size_t count, const Bfloat16* y,
                         const Bfloat16* d, Bfloat16* out);

}  // namespace tandem
