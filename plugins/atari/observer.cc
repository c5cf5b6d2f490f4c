// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "observer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace tandem::atari {
namespace {

struct Tap {
  int from;
  int to;
  float weight;
};

// For each target pixel along one axis, the source pixels that it covers, weighted by their shares.
// The weights are computed in double precision and rounded once, as in OpenCV.
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

ColumnTaps column_taps() {
  ColumnTaps columns;
  std::array<int, kSide> count{};
  for (const auto& tap : area_taps(kScreenWidth, kSide)) {
    const int nth = count[tap.to]++;
    if (nth == 0) columns.first[tap.to] = tap.from;
    columns.weights[nth][tap.to] = tap.weight;
  }
  return columns;
}

std::unique_ptr<RowKernel> make_kernel(const GrayLevels& levels, Simd simd) {
  switch (simd) {
    case Simd::avx512:
    case Simd::amx:
      return avx512_kernel(levels, column_taps());
    case Simd::avx2:
      return avx2_kernel(levels, column_taps());
    case Simd::portable:
      break;
  }
  return portable_kernel(levels, column_taps());
}

}  // namespace

Observer::Observer(int height, const GrayLevels& levels, Simd simd)
    : kernel_(make_kernel(levels, simd)) {
  if (height < kSide || height > (kMostTaps - 1) * kSide) {
    throw std::invalid_argument("a screen must have 84 to 336 rows");
  }
  for (const auto& tap : area_taps(height, kSide)) {
    auto& row = rows_[tap.to];
    if (row.count == 0) row.from = tap.from;
    row.weights[row.count++] = tap.weight;
  }
}

void Observer::operator()(const std::uint8_t* first, const std::uint8_t* second,
                          std::uint8_t* observation) const {
  std::array<Row, kMostTaps> resized;  // a ring of the newest resized rows
  std::size_t next = 0;
  const Row* current = nullptr;
  int source = -1;  // the row of the screens to which `current` belongs

  const auto row_of = [](const std::uint8_t* screen, std::ptrdiff_t row) {
    return screen + row * kScreenWidth;
  };
  // Most rows of a game's picture repeat the row above.
  const auto repeats = [&](const std::uint8_t* screen, int row) {
    return std::memcmp(row_of(screen, row), row_of(screen, source), kScreenWidth) == 0;
  };
  const auto advance_to = [&](int row) {
    if (row == source) return;
    if (source < 0 || !repeats(first, row) || !repeats(second, row)) {
      kernel_->resize(row_of(first, row), row_of(second, row), resized[next]);
      current = &resized[next];
      next = (next + 1) % resized.size();
    }
    source = row;
  };

  std::array<RowTap, kMostTaps> taps{};
  for (std::size_t to = 0; to < rows_.size(); ++to) {
    const auto& row = rows_[to];
    for (int i = 0; i < row.count; ++i) {
      advance_to(row.from + i);
      taps[i] = {current, row.weights[i]};
    }
    kernel_->blend(std::span(taps).first(row.count), observation + to * kSide);
  }
}

void keep_brighter(std::span<std::uint8_t> screen, std::span<const std::uint8_t> other,
                   const GrayLevels& levels) {
  for (std::size_t i = 0; i < screen.size(); ++i) {
    if (levels[other[i]] > levels[screen[i]]) screen[i] = other[i];
  }
}

}  // namespace tandem::atari
