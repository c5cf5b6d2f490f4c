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

/// What the pixels of an observation's row are made of: `weights[k][x]` of source column
/// `first[x] + k`, 0 where fewer columns count. Value type.
struct ColumnTaps {
  static constexpr int kMost = 3;

  std::array<int, kSide> first{};
  std::array<std::array<float, kSide>, kMost> weights{};
};

/// A resized row of two screens, in the order that its kernel likes.
struct alignas(64) Row {
  std::array<float, 96> values;
};

/// A row that counts with a weight.
struct RowTap {
  const Row* row;
  float weight;
};

/// Computes rows in single precision: the same operations in the same order in every kernel, so
/// that all give the same bits. Immutable, so one may serve any number of threads.
class RowKernel {
 public:
  virtual ~RowKernel() = default;

  /// The gray levels of two screens' rows (kScreenWidth palette indices each), the brighter of the
  /// two pixel by pixel, resized to kSide columns.
  virtual void resize(const std::uint8_t* first, const std::uint8_t* second, Row& row) const = 0;

  /// Writes the sum of weighted rows, rounded half to even: kSide bytes.
  virtual void blend(std::span<const RowTap> taps, std::uint8_t* pixels) const = 0;
};

/// For any CPU, for one with Simd::avx2, for one with Simd::avx512.
std::unique_ptr<RowKernel> portable_kernel(const GrayLevels& levels, const ColumnTaps& taps);
std::unique_ptr<RowKernel> avx2_kernel(const GrayLevels& levels, const ColumnTaps& taps);
std::unique_ptr<RowKernel> avx512_kernel(const GrayLevels& levels, const ColumnTaps& taps);

}  // namespace tandem::atari
