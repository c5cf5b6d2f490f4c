// Lengths and angles as integers, with which every CPU computes the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tandem::labyrinth {

/// A length in units of 2^-16 cells, or another number in units of 2^-16.
using Fixed = std::int32_t;
inline constexpr int kFixedBits = 16;
inline constexpr Fixed kOne = 1 << kFixedBits;

/// The middle of a column or row of cells.
constexpr Fixed middle(std::int32_t cell) { return cell * kOne + kOne / 2; }

/// The units of an angle in a whole turn. Angle 0 looks along x, a quarter turn along y; on a map
/// with y downwards angles grow clockwise.
inline constexpr std::int32_t kTurn = 1024;

/// The product of a Fixed and another number.
constexpr std::int64_t times(std::int64_t a, std::int64_t b) { return (a * b) >> kFixedBits; }

/// The sines of the angles from 0 to a quarter turn, by the series of the sine in units of 2^-30.
constexpr std::array<Fixed, kTurn / 4 + 1> quarter_of_sines() {
  constexpr int kBits = 30;
  constexpr std::int64_t kUnit = std::int64_t{1} << kBits;
  constexpr std::int64_t kQuarter = 1686629713;  // half of pi
  std::array<Fixed, kTurn / 4 + 1> sines{};
  for (std::size_t i = 0; i < sines.size(); ++i) {
    const std::int64_t x = kQuarter * static_cast<std::int64_t>(i) / (kTurn / 4);
    const std::int64_t square = (x * x) >> kBits;
    std::int64_t sum = kUnit;  // 1 - x^2 / 6 (1 - x^2 / 20 (1 - ...))
    for (std::int64_t n = 12; n >= 2; n -= 2) {
      sum = kUnit - ((square * sum) >> kBits) / (n * (n + 1));
    }
    constexpr int kSurplus = kBits - kFixedBits;
    const std::int64_t half = std::int64_t{1} << (kSurplus - 1);
    sines[i] = static_cast<Fixed>((((x * sum) >> kBits) + half) >> kSurplus);
  }
  return sines;
}

/// The sine of an angle of any size.
constexpr Fixed sine(std::int32_t angle) {
  constexpr auto kSines = quarter_of_sines();
  constexpr std::int32_t kHalf = kTurn / 2;
  const std::int32_t within = angle & (kTurn - 1);
  const std::int32_t upper = within & (kHalf - 1);
  const std::int32_t at = upper <= kHalf / 2 ? upper : kHalf - upper;
  const Fixed value = kSines[static_cast<std::size_t>(at)];
  return within < kHalf ? value : -value;
}

/// The cosine of an angle of any size.
constexpr Fixed cosine(std::int32_t angle) { return sine(angle + kTurn / 4); }

}  // namespace tandem::labyrinth
