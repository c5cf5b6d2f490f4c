// bfloat16: the upper half of a float.
#pragma once

#include <bit>
#include <cstdint>

namespace tandem {

/// A bfloat16 as its bits. A number is greater than zero exactly if its bits are, taken as a signed
/// integer.
using Bfloat16 = std::uint16_t;

/// The nearest bfloat16, ties to even. `value` must be finite.
inline Bfloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<Bfloat16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// The same number as a float.
inline float from_bfloat16(Bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

}  // namespace tandem
