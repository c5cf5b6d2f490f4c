// Weights as tiles of slices, for products with AMX.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/nn/kernels/int8_slices.h"
#include "tandem/nn/kernels/tile.h"

namespace tandem {

/// The weights of some units as whole numbers of three slices (int8_slices.h), with a scale for
/// each unit and 64 inputs in each step. Not thread-safe. Needs Simd::amx.
class SlicedWeights {
 public:
  /// Stands for an input whose weight is 0.
  static constexpr std::int64_t kNone = -1;

  /// units: a multiple of 16; inputs: the number of each unit's inputs, at least 16; order: the
  /// input to which each of the 64 bytes of each step belongs, or kNone.
  SlicedWeights(std::int64_t units, std::int64_t inputs, const std::vector<std::int64_t>& order);

  /// weights: [units, inputs]; bias: [units]. Copies both. If a weight is NaN, the scale of its
  /// unit is NaN.
  void load(const float* weights, const float* bias);

  [[nodiscard]] std::int64_t steps() const { return steps_; }

  /// The tiles of the 16 units of `block`: [steps, slice]. Each row of a tile has four bytes of
  /// each unit.
  [[nodiscard]] const Tile* tiles(std::int64_t block) const {
    return &tiles_[block * steps_ * kSlices];
  }

  /// For each unit, the float that a whole number of 1 stands for, and the bias.
  [[nodiscard]] const float* scales() const { return scales_.data(); }
  [[nodiscard]] const float* bias() const { return bias_.data(); }

 private:
  std::int64_t units_, inputs_, steps_;
  std::vector<std::int64_t> order_;  // [steps, 16, 4]: the place of an input's row in rows_
  std::vector<Tile> tiles_;
  std::vector<float> scales_, bias_;
  std::vector<float> rows_;  // of 16 units: [inputs + 1, 16]; the last row is 0
};

}  // namespace tandem
