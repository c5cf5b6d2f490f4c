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

  /// Cells from the kernel's first to its last place, counted through all rows. The count includes
  /// places at which the kernel would reach over the end of a row.
  [[nodiscard]] std::int64_t places() const { return (out_rows() - 1) * columns + out_columns(); }
};

/// The convolution with a ReLU after it, forward and backward. Its inputs are whole numbers
/// already. Weights, and the gradients after the ReLU, become whole numbers of three slices
/// (int8_slices.h), so that products and sums are exact. AMX makes 64 such products in the time
/// that AVX-512 needs for one of floats, so three slices cost a twentieth. Only the conversion
/// rounds: each weight and each gradient, once, by at most 2^-24 of the largest of its filter and
/// batch, as floats round.
///
/// Not thread-safe. Needs Simd::amx.
class CellConvolution {
 public:
  /// Whether it supports this shape: filters and depth by 16, and rows of the kernel by 64 bytes.
  [[nodiscard]] static bool supports(const CellShape& shape);

  explicit CellConvolution(const CellShape& shape);

  /// weights: [filters, depth, reach, reach]; bias: [filters]. Copies them. If a weight is NaN, all
  /// outputs of its filter are NaN.
  void load(const float* weights, const float* bias) { weights_.load(weights, bias); }

  /// cells: [batch, rows, columns, depth]; out: [batch, filters / 16, out_rows, out_columns, 16].
  void forward(std::int64_t batch, const std::uint8_t* cells, float* out) const;

  /// Writes the gradients of the parameters, laid out as in load(), from those before the ReLU,
  /// laid out as `out`. If one of these is NaN, all gradients of its filter are NaN.
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

  // These belong to backward().
  std::vector<float> factors_, scales_;  // [filters]: factors from gradients to whole numbers, and
                                         // back
  std::vector<std::int32_t> whole_;      // [64 spans, 16]: a sample's gradients of 16 filters
  std::vector<std::int8_t> slices_;      // [slice, 16, margin + 64 spans]: their slices
  std::vector<Tile> cells_;  // [spans, depth block]: one sample's cells, four side by side
  std::vector<Tile> sums_;   // [filter block, kernel place, depth block, slice]
};

}  // namespace tandem
