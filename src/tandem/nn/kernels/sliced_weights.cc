#include "tandem/nn/kernels/sliced_weights.h"

#include <algorithm>
#include <array>

namespace tandem {

SlicedWeights::SlicedWeights(std::int64_t units, std::int64_t inputs,
                             const std::vector<std::int64_t>& order)
    : units_(units),
      inputs_(inputs),
      steps_(std::ssize(order) / Tile::kRowBytes),
      tiles_(units / kLanes * steps_ * kSlices),
      scales_(units),
      bias_(units),
      rows_((inputs + 1) * kLanes) {
  for (const auto input : order) order_.push_back((input == kNone ? inputs : input) * kLanes);
}

void SlicedWeights::load(const float* weights, const float* bias) {
  std::copy_n(bias, units_, bias_.begin());
  auto* tile = tiles_.data();
  for (std::int64_t unit = 0; unit < units_; unit += kLanes) {
    transpose_to_rows(weights + unit * inputs_, inputs_, inputs_, rows_.data());
    std::array<float, kLanes> largest{}, sums{}, factors{};
    measure_rows(rows_.data(), inputs_, largest.data(), sums.data());
    for (std::int64_t i = 0; i < kLanes; ++i) {
      const WholeScale scale(largest[i], sums[i]);
      factors[i] = scale.factor;
      scales_[unit + i] = scale.back;
    }
    const auto* rows = rows_.data();
    const auto* at = order_.data();
    for (std::int64_t step = 0; step < steps_; ++step, tile += kSlices) {
      for (std::int64_t row = 0; row < kLanes; ++row, at += 4) {
        slices_of_four_rows({rows + at[0], rows + at[1], rows + at[2], rows + at[3]},
                            factors.data(), {tile[0].row(row), tile[1].row(row), tile[2].row(row)});
      }
    }
  }
}

}  // namespace tandem
