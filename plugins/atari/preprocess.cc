// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "preprocess.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tandem::atari {
namespace {

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

bool same_row(const std::uint8_t* a, const std::uint8_t* b) {
  return std::memcmp(a, b, kScreenWidth) == 0;
}

// Stores level(x) for the 160 pixels of a row, interleaved.
template <class Level>
void interleave(std::uint8_t* out, Level level) {
  for (int x = 0; x < kQuarterWidth; ++x) {
    for (int quarter = 0; quarter < kQuarters; ++quarter, ++out) {
      *out = level(x + quarter * kQuarterWidth, *out);
    }
  }
}

}  // namespace

void to_gray(const std::uint8_t* pixels, const GrayLevels& levels, GrayScreen& gray) {
  to_gray_max(pixels, pixels, levels, gray);
}

void to_gray_max(const std::uint8_t* first, const std::uint8_t* second, const GrayLevels& levels,
                 GrayScreen& gray) {
  // Most rows of a game's picture repeat the row above or are the same in both frames.
  for (std::size_t row = 0; row < gray.size(); row += kScreenWidth) {
    const auto* a = first + row;
    const auto* b = second + row;
    auto* out = &gray[row];
    if (row > 0 && same_row(a, a - kScreenWidth) && same_row(b, b - kScreenWidth)) {
      std::memcpy(out, out - kScreenWidth, kScreenWidth);
    } else if (same_row(a, b)) {
      interleave(out, [&](int x, std::uint8_t) { return levels[a[x]]; });
    } else {
      interleave(out, [&](int x, std::uint8_t) { return std::max(levels[a[x]], levels[b[x]]); });
    }
  }
}

void add_gray_max(const std::uint8_t* pixels, const GrayLevels& levels, GrayScreen& gray) {
  for (std::size_t row = 0; row < gray.size(); row += kScreenWidth) {
    interleave(&gray[row],
               [&](int x, std::uint8_t old) { return std::max(old, levels[pixels[row + x]]); });
  }
}

AreaResize::AreaResize(int height) {
  std::array<int, kSide> taps_of{};
  for (const auto& tap : area_taps(kScreenWidth, kSide)) {
    const int quarter = tap.to / kQuarter;
    const int column = tap.to % kQuarter;
    const int nth = taps_of[tap.to]++;
    if (nth == 0) first_[column] = tap.from - quarter * kQuarterWidth;
    weights_[nth][column][quarter] = tap.weight;
  }
  for (const auto& tap : area_taps(height, kSide)) rows_.push_back({tap.from, tap.to, tap.weight});
}

void AreaResize::resize_row(const std::uint8_t* gray, Row& row) const {
  // A last column may have a third tap beyond the row; its weight is 0.
  alignas(16) std::array<float, kScreenWidth + kQuarters> numbers{};
  std::copy_n(gray, kScreenWidth, numbers.begin());
  const auto pixels = std::bit_cast<std::array<Lanes, kQuarterWidth + 1>>(numbers);
  for (int column = 0; column < kQuarter; ++column) {
    const Lanes* source = &pixels[first_[column]];
    row[column] = source[0] * weights_[0][column] + source[1] * weights_[1][column] +
                  source[2] * weights_[2][column];
  }
}

void AreaResize::operator()(const GrayScreen& gray, std::uint8_t* observation) const {
  Row row;
  Row sum{};
  const std::uint8_t* source_at = nullptr;  // what `row` was resized from
  for (std::size_t tap = 0; tap < rows_.size(); ++tap) {
    const auto [from, to, weight] = rows_[tap];
    const auto* source = &gray[static_cast<std::size_t>(from) * kScreenWidth];
    if (tap == 0 || !same_row(source, source_at)) resize_row(source, row);
    source_at = source;
    for (int column = 0; column < kQuarter; ++column) sum[column] += weight * row[column];

    const bool last = tap + 1 == rows_.size() || rows_[tap + 1].to != to;
    if (!last) continue;
    for (int column = 0; column < kQuarter; ++column) {
      for (int quarter = 0; quarter < kQuarters; ++quarter) {
        observation[to * kSide + quarter * kQuarter + column] = round_to_byte(sum[column][quarter]);
      }
    }
    sum.fill(Lanes{});
  }
}

}  // namespace tandem::atari
