#include "tandem/nn/kernels/activation.h"

#include <algorithm>
#include <cstring>

#include "tandem/nn/kernels/relu.h"
#include "tandem/nn/kernels/tanh.h"

namespace tandem {
namespace {

float to_float(float x) { return x; }
float to_float(Bfloat16 x) { return from_bfloat16(x); }

/// Computes gradients in bfloat16. Only the ReLU has a fast loop, because other activations are
/// rare in bfloat16.
template <class T>
void rounded_backward(Activation activation, std::size_t count, const T* y, const T* d,
                      Bfloat16* out) {
  if (activation == Activation::relu) return relu_backward(count, y, d, out);
  const bool curved = activation == Activation::tanh;
  for (std::size_t i = 0; i < count; ++i) {
    const float at = to_float(y[i]);
    out[i] = to_bfloat16(to_float(d[i]) * (curved ? 1.0F - at * at : 1.0F));
  }
}

}  // namespace

void activate(Activation activation, std::span<float> x) {
  switch (activation) {
    case Activation::none:
      return;
    case Activation::relu:
      for (float& each : x) each = std::max(each, 0.0F);
      return;
    case Activation::tanh:
      return tanh_forward(x.size(), x.data(), x.data());
  }
}

void activation_backward(Activation activation, std::size_t count, const float* y, const float* d,
                         float* out) {
  switch (activation) {
    case Activation::none:
      if (out != d) std::memcpy(out, d, count * sizeof(float));
      return;
    case Activation::relu:
      return relu_backward(count, y, d, out);
    case Activation::tanh:
      return tanh_backward(count, y, d, out);
  }
}

void activation_backward(Activation activation, std::size_t count, const float* y, const float* d,
                         Bfloat16* out) {
  rounded_backward(activation, count, y, d, out);
}

void activation_backward(Activation activation, std::size_t count, const Bfloat16* y,
                         const Bfloat16* d, Bfloat16* out) {
  rounded_backward(activation, count, y, d, out);
}

}  // namespace tandem
