// Weights as the tiles of their slices, for products by AMX.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/nn/kernels/int8_slices.h"
#include "tandem/nn/kernels/tile.h"

namespace tandem {

/// The weights of some units, 64 of their inputs a step, as whole numbers of three slices
/// (slices.h) of a scale for each unit. Not thread-safe. Needs Simd::amx.
class SlicedWeights {
 public:
  /// Stands for an input whose weight is 0.
  static constexpr std::int64_t kNone = -1;

  /// units: a multiple of 16; inputs of one: of at least 16. order: which input is the i-th byte,
  /// for 64 bytes of each step.
  SlicedWeights(std::int64_t units, std::int64_t inputs, const std::vector<std::int64_t>& order);

  /// weights: [units, inputs]; bias: [units]. Copies both. A unit with a weight that is no number
  /// has none as its scale.
  void load(const float* weights, const float* bias);

  [[nodiscard]] std::int64_t steps() const { return steps_; }

  /// Of 16 units: [steps, slice], tiles whose rows have four bytes of each unit.
  [[nodiscard]] const Tile* tiles(std::int64_t block) const {
    return &tiles_[block * steps_ * kSlices];
  }

  /// What a weight of 1 is worth, by units; and the biases.
  [[nodiscard]] const float* scales() const { return scales_.data(); }
  [[nodiscard]] const float* bias() const { return bias_.data(); }

 private:
  std::int64_t units_, inputs_, steps_;
  std::vector<std::int64_t> order_;  // [steps, 16, 4]: where the row of an input begins in rows_
  std::vector<Tile> tiles_;
  std::vector<float> scales_, bias_;
  std::vector<float> rows_;  // of 16 units: [inputs + 1, 16], of which the last are 0
};

}  // namespace tandem
