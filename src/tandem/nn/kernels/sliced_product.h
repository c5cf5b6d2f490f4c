// Products of whole numbers of three slices, with AMX.
#pragma once

#include <cstdint>

#include "tandem/nn/kernels/sliced_weights.h"
#include "tandem/nn/kernels/tile.h"

namespace tandem {

/// The slices of up to 16 rows of inputs, and their order in the steps of the weights. Value type.
struct SliceRows {
  const std::int8_t* first;     // slice of the first row, at the first step
  std::int64_t row_stride;      // bytes from one row to the next,
  std::int64_t slice_stride;    // and from a slice to the next
  const std::int64_t* offsets;  // [steps]: bytes after `first`
  std::int64_t rows;            // the number of rows in use
};

/// Sums of products of rows and of 16 units' weights, both of three slices. A product of two such
/// numbers has nine products of bytes. The three least of them are left out; together they are
/// below 2^-22 of the largest possible product, and usually far below the rounding of floats. AMX
/// makes the other six several times as fast as AVX-512 makes one of floats. Pure; safe from many
/// threads, each with TileRegisters of at least as many rows: so many rows are read, and must be
/// valid memory.
class SlicedProduct {
 public:
  /// The most inputs of one unit whose sums always fit 32 bits.
  static constexpr std::int64_t kMostInputs = 43'000;  // less than 2^31 / (3 * 2^14)

  SlicedProduct(const SliceRows& rows, const SlicedWeights& weights, std::int64_t block);

  /// Writes the sums as floats, with the bias, and after a ReLU if `relu`. row_scales: [rows], the
  /// value of an input of 1; out: 16 units of each row, `stride` floats apart.
  void write(const float* row_scales, bool relu, float* out, std::int64_t stride) const;

 private:
  std::int64_t rows_;
  const float* scales_;
  const float* bias_;
  Tile highest_;  // in units of 2^32: d2 d2
  Tile middle_;   // in units of 2^24: d2 d1 + d1 d2
  Tile lowest_;   // in units of 2^16: d2 d0 + d1 d1 + d0 d2
};

}  // namespace tandem
