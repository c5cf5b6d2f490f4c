// The hyperbolic tangent, forward and backward.
#pragma once

#include <cstddef>

namespace tandem {

/// Computes the hyperbolic tangents of `count` numbers `x` to about 1e-7. The bits do not depend on
/// the vector instructions. `y` may be `x`. Stateless; safe to call from many threads.
void tanh_forward(std::size_t count, const float* x, float* y);

/// Computes the `count` gradients before a tanh from `d`, the gradients after it, and `y`, its
/// outputs. `out` may be `d`. Stateless; safe to call from many threads.
void tanh_backward(std::size_t count, const float* y, const float* d, float* out);

}  // namespace tandem
