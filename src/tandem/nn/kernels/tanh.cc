#include "tandem/nn/kernels/tanh.h"

#include "tandem/base/vectorise.h"
#include "tandem/nn/kernels/branchless.h"

namespace tandem {

// Each element is read before it is written, even if input and output are the same array (ivdep).
// Clang finds that out by itself and does not know the pragma.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void tanh_forward(std::size_t count, const float* x, float* y) {
  vectorise([=] {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) y[i] = branchless::hyperbolic_tangent(x[i]);
  });
}

void tanh_backward(std::size_t count, const float* y, const float* d, float* out) {
  vectorise([=] {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) out[i] = d[i] * (1.0F - y[i] * y[i]);
  });
}

}  // namespace tandem
