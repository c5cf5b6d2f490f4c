// Functions of one number without branches: compilers turn loops over them into SIMD.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// NaN gives NaN. Infinite numbers give the limits of the sigmoid and the tanh, to 1e-37 or better.
/// The bits do not depend on the vector instructions. Pure.
namespace tandem::branchless {

/// Selects `yes` or `no` by a mask, because a branch would keep compilers from turning loops into
/// SIMD.
[[gnu::always_inline]] inline float choose(bool condition, float yes, float no) {
  const auto mask = -static_cast<std::uint32_t>(condition);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(yes) & mask) |
                              (std::bit_cast<std::uint32_t>(no) & ~mask));
}

/// exp(x) to a relative error of about 1e-7, for x clamped to +-87: 2^n times a polynomial of the
/// remainder (Cephes' expf).
[[gnu::always_inline]] inline float exponential(float x) {
  x = choose(x > 87.0f, 87.0f, x);  // keeps NaN
  x = choose(x < -87.0f, -87.0f, x);
  // Adding 1.5 * 2^23 rounds to an integer, whose value is then in the low bits.
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

/// tanh(x) by a polynomial near zero, where the formula with exponentials would lose digits
/// (Cephes' tanhf).
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

}  // namespace tandem::branchless
