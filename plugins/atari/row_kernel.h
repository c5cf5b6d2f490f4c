// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// The two inner loops of an observation, written once for each set of vector instructions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "screen.h"

namespace tandem::atari {

inline constexpr int kSide = 84;  // height and width of an observation

/// The source columns of the pixels in an observation's row: pixel x takes `weights[k][x]` of
/// column `first[x] + k`; unused weights are 0. Value type.
struct ColumnTaps {
  static constexpr int kMost = 3;

  std::array<int, kSide> first{};
  std::array<std::array<float, kSide>, kMost> weights{};
};

/// A resized row of two screens, in its kernel's own order.
struct alignas(64) Row {
  std::array<float, 96> values;
};

/// A row with its weight.
struct RowTap {
  const Row* row;
  float weight;
};

/// Computes rows in single precision. Every kernel performs the same operations in the same order,
/// so that all give the same bits. Immutable, so one may serve any number of threads.
class RowKernel {
 public:
  virtual ~RowKernel() = default;

  /// Converts two screens' rows (kScreenWidth palette indices each) to gray levels, takes the
  /// brighter of the two pixel by pixel, and resizes the result to kSide columns.
  virtual void resize(const std::uint8_t* first, const std::uint8_t* second, Row& row) const = 0;

  /// Writes the weighted sum of the rows, rounded half to even: kSide bytes.
  virtual void blend(std::span<const RowTap> taps, std::uint8_t* pixels) const = 0;
};

/// Kernels for any CPU, for one with Simd::avx2, and for one with Simd::avx512.
std::unique_ptr<RowKernel> portable_kernel(const GrayLevels& levels, const ColumnTaps& taps);
std::unique_ptr<RowKernel> avx2_kernel(const GrayLevels& levels, const ColumnTaps& taps);
std::unique_ptr<RowKernel> avx512_kernel(const GrayLevels& levels, const ColumnTaps& taps);

}  // namespace tandem::atari
