// Through a hyperbolic tangent, forward and backward.
#pragma once

#include <cstddef>

namespace tandem {

/// The hyperbolic tangents of `count` numbers `x`, to about 1e-7; the same bits with any vector
/// instructions. `y` may be `x`. Pure; safe from many threads.
void tanh_forward(std::size_t count, const float* x, float* y);

/// `count` gradients in front of a tanh, from those behind it, `d`, and its outputs `y`. `out` may
/// be `d`. Pure; safe from many threads.
void tanh_backward(std::size_t count, const float* y, const float* d, float* out);

}  // namespace tandem
