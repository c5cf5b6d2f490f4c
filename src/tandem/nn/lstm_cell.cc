#include "tandem/nn/lstm_cell.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "tandem/base/vectorise.h"

namespace tandem {
namespace {

// No branches: compilers turn loops over these into SIMD.

/// yes or no, by a mask: a branch around either would keep loops out of SIMD.
[[gnu::always_inline]] inline float choose(bool condition, float yes, float no) {
  const auto mask = -static_cast<std::uint32_t>(condition);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(yes) & mask) |
                              (std::bit_cast<std::uint32_t>(no) & ~mask));
}

/// exp(x) to about 1e-7 of its value: 2^n times a polynomial of the rest (Cephes' expf).
[[gnu::always_inline]] inline float exponential(float x) {
  x = choose(x > 87.0f, 87.0f, x);  // NaN stays
  x = choose(x < -87.0f, -87.0f, x);
  // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
  constexpr float kRounder = 12582912.0f;
  const float shifted = x * 1.44269504f + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two parts
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const auto exponent = (std::bit_cast<std::uint32_t>(shifted) << 23) + 0x3f800000u;
  return (p * r * r + r + 1.0f) * std::bit_cast<float>(exponent);
}

[[gnu::always_inline]] inline float sigmoid(float x) { return 1.0f / (1.0f + exponential(-x)); }

/// Near zero a polynomial, as the difference of exponentials would cancel (Cephes' tanhf).
[[gnu::always_inline]] inline float hyperbolic_tangent(float x) {
  const float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float near = p * z * x + x;
  const float far = 1.0f - 2.0f / (1.0f + exponential(2.0f * x));
  return choose(std::abs(x) < 0.625f, near, far);
}

// No two arrays overlap: iterations depend on nothing (ivdep), and many are made at once. Clang
// finds that out by itself and does not know the pragma.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

void forward(const LstmCells& cells) {
  const auto units = cells.units;
  float* const input = cells.gates;
  float* const forget = input + units;
  float* const candidate = forget + units;
  float* const output = candidate + units;
  const float* const c_before = cells.c_before;
  float* const c_after = cells.c;
  float* const tanh_after = cells.tanh_c;
  float* const h = cells.h;
#pragma GCC ivdep
  for (std::size_t k = 0; k < units; ++k) {
    const float i = sigmoid(input[k]);
    const float f = sigmoid(forget[k]);
    const float g = hyperbolic_tangent(candidate[k]);
    const float o = sigmoid(output[k]);
    const float c = f * c_before[k] + i * g;
    const float tanh_c = hyperbolic_tangent(c);
    input[k] = i;
    forget[k] = f;
    candidate[k] = g;
    output[k] = o;
    c_after[k] = c;
    tanh_after[k] = tanh_c;
    h[k] = o * tanh_c;
  }
}

void backward(const LstmCells& cells, const LstmCellGradients& gradients) {
  const auto units = cells.units;
  const float* const input = cells.gates;
  const float* const forget = input + units;
  const float* const candidate = forget + units;
  const float* const output = candidate + units;
  const float* const c_before = cells.c_before;
  const float* const tanh_after = cells.tanh_c;
  const float* const d_output = gradients.h;
  float* const d_memory = gradients.c;
  float* const d_gates = gradients.gates;
#pragma GCC ivdep
  for (std::size_t k = 0; k < units; ++k) {
    const float i = input[k];
    const float f = forget[k];
    const float g = candidate[k];
    const float o = output[k];
    const float tanh_c = tanh_after[k];
    const float d_h = d_output[k];
    const float d_c = d_memory[k] + d_h * o * (1.0f - tanh_c * tanh_c);
    d_gates[k] = d_c * g * i * (1.0f - i);
    d_gates[units + k] = d_c * c_before[k] * f * (1.0f - f);
    d_gates[2 * units + k] = d_c * i * (1.0f - g * g);
    d_gates[3 * units + k] = d_h * tanh_c * o * (1.0f - o);
    d_memory[k] = d_c * f;
  }
}

}  // namespace

void lstm_forward(const LstmCells& cells) {
  vectorise([&] { forward(cells); });
}

void lstm_backward(const LstmCells& cells, const LstmCellGradients& gradients) {
  vectorise([&] { backward(cells, gradients); });
}

}  // namespace tandem
