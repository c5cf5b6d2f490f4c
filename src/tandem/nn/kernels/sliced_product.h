// Products of whole numbers of three slices, with AMX.
#pragma once

#include <cstdint>

#include "tandem/nn/kernels/sliced_weights.h"
#include "tandem/nn/kernels/tile.h"

namespace tandem {

/// The slices of up to 16 rows of inputs, and where each step of the weights finds its bytes. Value
/// type.
struct SliceRows {
  const std::int8_t* first;     // the lowest slice of the first row
  std::int64_t row_stride;      // bytes from one row to the next
  std::int64_t slice_stride;    // bytes from one slice to the next
  const std::int64_t* offsets;  // [steps]: bytes from `first` to each step
  std::int64_t rows;            // the number of rows in use
};

/// Sums of products of rows and of 16 units' weights, both of three slices. A product of two such
/// numbers has nine products of bytes. The three smallest of them are left out; together they are
/// below 2^-22 of the largest possible product, and usually far below the rounding of floats. AMX
/// computes the other six several times as fast as AVX-512 computes one product of floats.
/// Immutable; safe to use from many threads. The thread that makes it must have TileRegisters of at
/// least `rows.rows` rows. The constructor reads as many rows as the registers have, so all of them
/// must be valid memory.
class SlicedProduct {
 public:
  /// The most inputs of one unit whose sums always fit 32 bits.
  static constexpr std::int64_t kMostInputs = 43'000;  // less than 2^31 / (3 * 2^14)

  SlicedProduct(const SliceRows& rows, const SlicedWeights& weights, std::int64_t block);

  /// Converts the sums to floats, adds the bias, applies a ReLU if `relu`, and writes the results.
  /// row_scales: [rows], for each row the float that an input of 1 stands for; out: 16 units of
  /// each row, whose rows are `stride` floats apart.
  void write(const float* row_scales, bool relu, float* out, std::int64_t stride) const;

  /// The same for rows [first, first + count), which share one scale and follow one another in
  /// `out`; if `adds`, the results are added to the numbers there before the ReLU.
  void write_some(std::int64_t first, std::int64_t count, float row_scale, bool adds, bool relu,
                  float* out) const;

 private:
  std::int64_t rows_;
  const float* scales_;
  const float* bias_;
  Tile highest_;  // in units of 2^32: d2 d2
  Tile middle_;   // in units of 2^24: d2 d1 + d1 d2
  Tile lowest_;   // in units of 2^16: d2 d0 + d1 d1 + d0 d2
};

}  // namespace tandem
