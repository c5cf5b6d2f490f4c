// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// From two Atari screens to one 84 x 84 observation: gray levels, their maximum, area resize.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tandem::atari {

inline constexpr int kScreenWidth = 160;
inline constexpr int kSide = 84;     // height and width of an observation
inline constexpr int kQuarters = 4;  // of a row

/// The gray level of each palette index that a screen may hold.
using GrayLevels = std::array<std::uint8_t, 256>;

/// A screen in gray levels. The four quarters of a row are interleaved: pixel x of row y stands at
/// (y * 40 + x % 40) * 4 + x / 40. 84 / 160 = 21 / 40, so the quarters are resized alike, as the
/// four lanes of a vector.
using GrayScreen = std::vector<std::uint8_t>;

/// `pixels` (palette indices, height * 160) in gray levels.
void to_gray(const std::uint8_t* pixels, const GrayLevels& levels, GrayScreen& gray);

/// The brighter of two screens' gray levels, pixel by pixel: objects that the console draws only
/// every other frame show in it.
void to_gray_max(const std::uint8_t* first, const std::uint8_t* second, const GrayLevels& levels,
                 GrayScreen& gray);

/// Brightens `gray` where `pixels` is brighter.
void add_gray_max(const std::uint8_t* pixels, const GrayLevels& levels, GrayScreen& gray);

/// Area resize to 84 x 84, equal to OpenCV's INTER_AREA in every bit: the same single-precision
/// operations in the same order, which is why this file must be compiled without contraction to
/// fused multiply-adds. Immutable, so one may serve any number of threads.
class AreaResize {
 public:
  explicit AreaResize(int height);  // rows of the screens, at least 84

  /// Writes kSide * kSide bytes.
  void operator()(const GrayScreen& gray, std::uint8_t* observation) const;

 private:
  static constexpr int kQuarter = kSide / kQuarters;  // columns of an observation's quarter row
  static constexpr int kTaps = 3;                     // source columns under one column, at most

  using Lanes [[gnu::vector_size(kQuarters * sizeof(float))]] = float;
  using Row = std::array<Lanes, kQuarter>;

  struct RowTap {  // source row `from` counts with `weight` in row `to`
    int from;
    int to;
    float weight;
  };

  void resize_row(const std::uint8_t* gray, Row& row) const;

  std::array<int, kQuarter> first_{};  // leftmost source column of a column, in its quarter
  std::array<Row, kTaps> weights_{};   // of source columns first, first + 1, first + 2
  std::vector<RowTap> rows_;           // ascending in `to`, then in `from`
};

}  // namespace tandem::atari
