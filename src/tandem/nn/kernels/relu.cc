#include "tandem/nn/kernels/relu.h"

#include <bit>
#include <cstdint>

namespace tandem {

// These loops use a mask instead of a branch, so that compilers turn them into SIMD. Half of all
// units, at random, let no gradient pass, which is the worst case for branches.

void relu_backward(std::size_t count, const float* y, const float* d, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto mask = -static_cast<std::uint32_t>(y[i] > 0);
    out[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(d[i]) & mask);
  }
}

void relu_backward(std::size_t count, const float* y, const float* d, Bfloat16* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto mask = -static_cast<std::uint32_t>(y[i] > 0);
    out[i] = static_cast<Bfloat16>(to_bfloat16(d[i]) & mask);
  }
}

void relu_backward(std::size_t count, const Bfloat16* y, const Bfloat16* d, Bfloat16* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto positive = static_cast<std::int16_t>(y[i]) > 0;
    const auto mask = static_cast<Bfloat16>(-static_cast<std::int16_t>(positive));
    out[i] = static_cast<Bfloat16>(d[i] & mask);
  }
}

}  // namespace tandem
