#include "tandem/nn/kernels/relu.h"

#include <bit>
#include <cstdint>

#include "tandem/base/vectorise.h"

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

// Each element is read before it is written, even if input and output are the same array (ivdep).
// Clang finds that out by itself and does not know the pragma.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void relu_forward(std::size_t count, const float* x, float* out) {
  vectorise([=] {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) out[i] = x[i] < 0 ? 0.0F : x[i];
  });
}

void relu_forward(std::size_t count, const float* x, Bfloat16* out) {
  vectorise([=] {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) out[i] = to_bfloat16(x[i] < 0 ? 0.0F : x[i]);
  });
}

void relu_forward(std::size_t count, const Bfloat16* x, Bfloat16* out) {
  vectorise([=] {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
      // Zero for each number whose sign bit is set, except NaN, whose bits are the largest.
      const auto bits = x[i];
      const bool kept = bits < 0x8000 || bits > 0xff80;
      out[i] = static_cast<Bfloat16>(bits & -static_cast<int>(kept));
    }
  });
}

void add_relu_backward(std::size_t count, const float* y, const float* d, const float* base,
                       float* out) {
  vectorise([=] {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
      const auto mask = -static_cast<std::uint32_t>(y[i] > 0);
      out[i] = base[i] + std::bit_cast<float>(std::bit_cast<std::uint32_t>(d[i]) & mask);
    }
  });
}

void add_relu_backward(std::size_t count, const Bfloat16* y, const Bfloat16* d,
                       const Bfloat16* base, Bfloat16* out) {
  vectorise([=] {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
      const auto mask = -static_cast<int>(static_cast<std::int16_t>(y[i]) > 0);
      const auto passed = static_cast<Bfloat16>(d[i] & mask);
      out[i] = to_bfloat16(from_bfloat16(base[i]) + from_bfloat16(passed));
    }
  });
}

}  // namespace tandem
