// A first convolution over bytes, in whole numbers, with AMX's products of tiles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tandem/nn/kernels/sliced_weights.h"
#include "tandem/nn/kernels/tile.h"

namespace tandem {

/// A convolution of stride 1 over cells of bytes [rows, columns, depth] (see Cells). Value type.
struct CellShape {
  std::int64_t rows = 0, columns = 0, depth = 0;
  std::int64_t reach = 0;  // size of the kernel in cells, across and down
  std::int64_t filters = 0;

  [[nodiscard]] std::int64_t cells() const { return rows * columns; }
  [[nodiscard]] std::int64_t kernel() const { return reach * reach; }
  [[nodiscard]] std::int64_t filter_weights() const { return depth * kernel(); }
  [[nodiscard]] std::int64_t out_rows() const { return rows - reach + 1; }
  [[nodiscard]] std::int64_t out_columns() const { return columns - reach + 1; }
  [[nodiscard]] std::int64_t outputs() const { return out_rows() * out_columns(); }

  /// The number of places from the kernel's first to its last, counted through all rows. The count
  /// includes places at which the kernel would reach over the end of a row.
  [[nodiscard]] std::int64_t places() const { return (out_rows() - 1) * columns + out_columns(); }
};

/// The convolution with a ReLU after it, forward and backward. Its inputs are whole numbers
/// already. Weights, and the gradients before the ReLU, become whole numbers of three slices
/// (int8_slices.h), so that products and the sums of each slice are exact. AMX makes 64 such
/// products in the time that AVX-512 needs for one product of floats, so three slices cost a
/// twentieth. The conversion rounds each weight by about 2^-24 of its filter's largest weight at
/// most, and each gradient by as much of the largest in its filter and batch. This is the precision
/// of floats, which the slices' sums become at the end.
///
/// Not thread-safe. Needs Simd::amx.
class CellConvolution {
 public:
  /// Whether it supports this shape. Filters and depth must be multiples of 16, and a row of the
  /// kernel a multiple of 64 bytes; there are further conditions on the sizes.
  [[nodiscard]] static bool supports(const CellShape& shape);

  explicit CellConvolution(const CellShape& shape);

  /// weights: [filters, depth, reach, reach]; bias: [filters]. Copies them. If a weight is NaN, all
  /// outputs of its filter are NaN.
  void load(const float* weights, const float* bias) { weights_.load(weights, bias); }

  /// cells: [batch, rows, columns, depth]; out: [batch, filters / 16, out_rows, out_columns, 16].
  void forward(std::int64_t batch, const std::uint8_t* cells, float* out) const;

  /// Computes the gradients of the parameters, laid out as in load(), from d_linear, the gradients
  /// before the ReLU, laid out as `out`. If a gradient before the ReLU is NaN, all gradients of its
  /// filter's parameters are NaN.
  void backward(std::int64_t batch, const std::uint8_t* cells, const float* d_linear,
                float* d_weights, float* d_bias);

 private:
  void add_gradients(std::int64_t batch, const std::uint8_t* cells, const float* d_linear,
                     std::span<float> d_weights, std::span<float> d_bias);
  void add_products(std::int64_t filter_block);
  void add_sums(std::span<float> d_weights) const;

  CellShape shape_;
  std::int64_t filter_blocks_, depth_blocks_;  // of 16
  std::int64_t spans_;                         // units of 64 cells
  std::int64_t margin_;                        // bytes of zeros before a row of slices
  SlicedWeights weights_;                      // a step covers 64 bytes of a row of the kernel

  // The memory of backward().
  std::vector<float> factors_, scales_;  // [filters]: factors from gradients to whole numbers, and
                                         // back
  std::vector<std::int32_t> whole_;      // [64 * spans, 16]: a sample's gradients of 16 filters
  std::vector<std::int8_t> slices_;      // [slice, 16, margin + 64 * spans]: their slices
  std::vector<Tile> cells_;  // [spans, depth block]: one sample's cells, interleaved by four
  std::vector<Tile> sums_;   // [filter block, kernel place, depth block, slice]
};

}  // namespace tandem
