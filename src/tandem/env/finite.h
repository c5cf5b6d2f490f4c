// Whether observations are numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tandem {

/// Whether all of these 32-bit floats are finite. Pure.
inline bool all_finite(std::span<const std::byte> floats) {
  constexpr std::uint32_t kMagnitude = 0x7fffffff;  // all bits but the sign
  constexpr std::uint32_t kInfinity = 0x7f800000;   // NaNs lie above it, finite numbers below
  // A maximum of integers takes several numbers at once, unlike a loop that ends early.
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < floats.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &floats[i], sizeof(bits));
    most = std::max(most, bits & kMagnitude);
  }
  return most < kInfinity;
}

}  // namespace tandem
