// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "preprocess.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tandem::atari {
namespace {

constexpr int kQuarters = 4;
constexpr int kQuarterWidth = kScreenWidth / kQuarters;

struct Tap {
  int from;
  int to;
  float weight;
};

// Which source pixels a target pixel covers and how much of it, along one axis. The weights are
// computed in double precision and rounded once, as OpenCV does.
std::vector<Tap> area_taps(int source, int target) {
  constexpr double kSliver = 1e-3;  // a narrower overlap does not count
  const double scale = static_cast<double>(source) / target;
  std::vector<Tap> taps;
  for (int to = 0; to < target; ++to) {
    const double left = to * scale;
    const double right = left + scale;
    const double width = std::min(scale, source - left);
    const int whole_end = std::min(static_cast<int>(std::floor(right)), source - 1);
    const int whole_begin = std::min(static_cast<int>(std::ceil(left)), whole_end);
    if (whole_begin - left > kSliver) {
      taps.push_back({whole_begin - 1, to, static_cast<float>((whole_begin - left) / width)});
    }
    for (int from = whole_begin; from < whole_end; ++from) {
      taps.push_back({from, to, static_cast<float>(1.0 / width)});
    }
    if (right - whole_end > kSliver) {
      const double part = std::min({right - whole_end, 1.0, width});
      taps.push_back({whole_end, to, static_cast<float>(part / width)});
    }
  }
  return taps;
}

// Rounds half to even: adding 2^23 leaves no room for a fraction.
std::uint8_t round_to_byte(float value) {
  return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(value + 8388608.0F));
}

// Calls gray(x) for the pixels of a screen in row order and stores what it returns interleaved.
template <class Gray>
void interleave(GrayScreen& screen, Gray gray) {
  std::uint8_t* out = screen.data();
  for (std::size_t row = 0; row < screen.size(); row += kScreenWidth) {
    for (std::size_t x = row; x < row + kQuarterWidth; ++x) {
      for (std::size_t quarter = 0; quarter < kQuarters; ++quarter, ++out) {
        *out = gray(x + quarter * kQuarterWidth, *out);
      }
    }
  }
}

}  // namespace

void to_gray(const std::uint8_t* pixels, const GrayLevels& levels, GrayScreen& gray) {
  interleave(gray, [&](std::size_t x, std::uint8_t) { return levels[pixels[x]]; });
}

void to_gray_max(const std::uint8_t* first, const std::uint8_t* second, const GrayLevels& levels,
                 GrayScreen& gray) {
  interleave(gray, [&](std::size_t x, std::uint8_t) {
    return std::max(levels[first[x]], levels[second[x]]);
  });
}

void add_gray_max(const std::uint8_t* pixels, const GrayLevels& levels, GrayScreen& gray) {
  interleave(gray,
             [&](std::size_t x, std::uint8_t old) { return std::max(old, levels[pixels[x]]); });
}

AreaResize::AreaResize(int height) {
  std::array<int, kSide> taps_of{};
  for (const auto& tap : area_taps(kScreenWidth, kSide)) {
    const int quarter = tap.to / kQuarter;
    const int column = tap.to % kQuarter;
    const int lane = column * kQuarters + quarter;
    const int nth = taps_of[lane]++;
    if (nth == 0) first_[column] = tap.from - quarter * kQuarterWidth;
    weights_[nth][lane] = tap.weight;
  }
  for (const auto& tap : area_taps(height, kSide)) rows_.push_back({tap.from, tap.to, tap.weight});
}

void AreaResize::resize_row(const std::uint8_t* gray, Row& row) const {
  // A last column may have a third tap beyond the row; its weight is 0.
  std::array<float, kScreenWidth + kQuarters> pixels{};
  std::copy_n(gray, kScreenWidth, pixels.begin());
  for (int column = 0; column < kQuarter; ++column) {
    const float* source = &pixels[static_cast<std::size_t>(first_[column]) * kQuarters];
    for (int quarter = 0; quarter < kQuarters; ++quarter) {
      const int lane = column * kQuarters + quarter;
      row[lane] = source[quarter] * weights_[0][lane] +
                  source[quarter + kQuarters] * weights_[1][lane] +
                  source[quarter + 2 * kQuarters] * weights_[2][lane];
    }
  }
}

void AreaResize::operator()(const GrayScreen& gray, std::uint8_t* observation) const {
  Row row;
  Row sum{};
  int row_at = -1;  // two target rows may share a source row
  for (std::size_t tap = 0; tap < rows_.size(); ++tap) {
    const auto [from, to, weight] = rows_[tap];
    if (from != row_at) resize_row(&gray[static_cast<std::size_t>(from) * kScreenWidth], row);
    row_at = from;
    for (int lane = 0; lane < kSide; ++lane) sum[lane] += weight * row[lane];

    const bool last = tap + 1 == rows_.size() || rows_[tap + 1].to != to;
    if (!last) continue;
    for (int column = 0; column < kQuarter; ++column) {
      for (int quarter = 0; quarter < kQuarters; ++quarter) {
        observation[to * kSide + quarter * kQuarter + column] =
            round_to_byte(sum[column * kQuarters + quarter]);
      }
    }
    sum.fill(0);
  }
}

}  // namespace tandem::atari
