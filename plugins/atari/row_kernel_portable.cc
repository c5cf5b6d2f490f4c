// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include <algorithm>
#include <bit>
#include <cstring>

#include "row_kernel.h"

namespace tandem::atari {
namespace {

constexpr int kQuarters = 4;
constexpr int kQuarterWidth = kScreenWidth / kQuarters;
constexpr int kQuarter = kSide / kQuarters;

// One number for each quarter of a row.
using Lanes [[gnu::vector_size(kQuarters * sizeof(float))]] = float;

// Rounds half to even: adding 2^23 leaves no room for a fraction.
std::uint8_t round_to_byte(float value) {
  return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(value + 8388608.0F));
}

// 84 / 160 = 21 / 40, so the four quarters of a row are resized alike. They are the lanes of a
// vector that every x86-64 CPU has. Rows have the order of the vectors: value 4 * x + q is column x
// of quarter q.
class PortableKernel final : public RowKernel {
 public:
  PortableKernel(const GrayLevels& levels, const ColumnTaps& taps) {
    std::ranges::copy(levels, levels_.begin());
    std::copy_n(taps.first.begin(), kQuarter, first_.begin());
    for (int k = 0; k < ColumnTaps::kMost; ++k) {
      for (int to = 0; to < kSide; ++to) {
        weights_[k][to % kQuarter][to / kQuarter] = taps.weights[k][to];
      }
    }
  }

  void resize(const std::uint8_t* first, const std::uint8_t* second, Row& row) const override {
    // The last column of a quarter may have a third tap beyond the quarter; its weight is 0.
    alignas(Lanes) std::array<float, kScreenWidth + kQuarters> gray{};
    if (std::memcmp(first, second, kScreenWidth) == 0) {
      interleave(gray.data(), [&](int x) { return levels_[first[x]]; });
    } else {
      interleave(gray.data(),
                 [&](int x) { return std::max(levels_[first[x]], levels_[second[x]]); });
    }
    const auto pixels = std::bit_cast<std::array<Lanes, kQuarterWidth + 1>>(gray);
    std::array<Lanes, kQuarter> resized;
    for (int x = 0; x < kQuarter; ++x) {
      const Lanes* source = &pixels[first_[x]];
      resized[x] =
          source[0] * weights_[0][x] + source[1] * weights_[1][x] + source[2] * weights_[2][x];
    }
    std::memcpy(row.values.data(), resized.data(), sizeof(resized));
  }

  void blend(std::span<const RowTap> taps, std::uint8_t* pixels) const override {
    for (int x = 0; x < kQuarter; ++x) {
      const int at = x * kQuarters;
      Lanes sum{};
      for (const auto& tap : taps) {
        Lanes value;
        std::memcpy(&value, &tap.row->values[at], sizeof(value));
        sum += tap.weight * value;
      }
      for (int quarter = 0; quarter < kQuarters; ++quarter) {
        pixels[quarter * kQuarter + x] = round_to_byte(sum[quarter]);
      }
    }
  }

 private:
  // Stores level(x) for the pixels of a row, with the quarters side by side.
  template <class Level>
  static void interleave(float* out, Level level) {
    for (int x = 0; x < kQuarterWidth; ++x) {
      for (int quarter = 0; quarter < kQuarters; ++quarter) {
        *out++ = level(x + quarter * kQuarterWidth);
      }
    }
  }

  std::array<float, 256> levels_{};
  std::array<int, kQuarter> first_{};  // of the first quarter's columns
  std::array<std::array<Lanes, kQuarter>, ColumnTaps::kMost> weights_{};
};

}  // namespace

std::unique_ptr<RowKernel> portable_kernel(const GrayLevels& levels, const ColumnTaps& taps) {
  return std::make_unique<PortableKernel>(levels, taps);
}

}  // namespace tandem::atari
