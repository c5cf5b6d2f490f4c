// Products of numbers as whole ones of three slices, by AMX.
#pragma once

#include <cstdint>

#include "tandem/nn/kernels/sliced_weights.h"
#include "tandem/nn/kernels/tile.h"

namespace tandem {

/// Up to 16 rows of inputs' slices, and how they go through the steps of weights. Value type.
struct SliceRows {
  const std::int8_t* first;     // slice of the first row, at the first step
  std::int64_t row_stride;      // bytes from one row to the next,
  std::int64_t slice_stride;    // and from a slice to the next
  const std::int64_t* offsets;  // [steps]: bytes behind `first`
  std::int64_t rows;            // that count
};

/// Sums of products of rows and of 16 units' weights, each of three slices. A product is nine of
/// bytes; the three least of them, together below 2^-22 of the largest product there could be, and
/// as a rule far below what floats round, are left out. AMX does the other six several times as
/// fast as AVX-512 one of floats. Pure; safe from many threads, each with
/// TileRegisters of at least as many rows: so many are read, and must be memory.
class SlicedProduct {
 public:
  /// Inputs of one unit whose sums are sure to fit 32 bits.
  static constexpr std::int64_t kMostInputs = 43'000;  // less than 2^31 / (3 * 2^14)

  SlicedProduct(const SliceRows& rows, const SlicedWeights& weights, std::int64_t block);

  /// The sums as floats, with the bias, and behind a ReLU if asked for. row_scales: [rows], what an
  /// input of 1 is worth; out: 16 units of each row, `stride` floats apart.
  void write(const float* row_scales, bool relu, float* out, std::int64_t stride) const;

 private:
  std::int64_t rows_;
  const float* scales_;
  const float* bias_;
  Tile highest_;  // worth 2^32: d2 d2
  Tile middle_;   // 2^24: d2 d1 + d1 d2
  Tile lowest_;   // 2^16: d2 d0 + d1 d1 + d0 d2
};

}  // namespace tandem
