// The forward pass of a convolution, in whole numbers, with AMX.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/nn/kernels/sliced_weights.h"

namespace tandem {

/// A convolution without padding. Value type.
struct ConvolutionShape {
  std::int64_t channels = 0, height = 0, width = 0;
  std::int64_t kernel = 0, stride = 0;
  std::int64_t filters = 0;
  bool relu = false;

  [[nodiscard]] std::int64_t inputs() const { return channels * height * width; }
  [[nodiscard]] std::int64_t out_rows() const { return (height - kernel) / stride + 1; }
  [[nodiscard]] std::int64_t out_columns() const { return (width - kernel) / stride + 1; }
  [[nodiscard]] std::int64_t outputs() const { return filters * out_rows() * out_columns(); }
};

/// The forward pass of such a convolution. Weights and inputs become whole numbers of three slices
/// (SlicedProduct). Not thread-safe. Needs Simd::amx.
class SlicedConvolution {
 public:
  /// Whether it supports this shape. Channels and filters must be multiples of 16, the kernel at
  /// most 4, and a row at most 16 outputs; the sums must fit 32 bits.
  [[nodiscard]] static bool supports(const ConvolutionShape& shape);

  explicit SlicedConvolution(const ConvolutionShape& shape);

  /// weights: [filters, channels, kernel, kernel]; bias: [filters]. Copies them. If a weight is
  /// NaN, all outputs of its filter are NaN.
  void load(const float* weights, const float* bias) { weights_.load(weights, bias); }

  /// in: [batch, channels / 16, height, width, 16]; out: [batch, filters / 16, out_rows,
  /// out_columns, 16]. If an input is NaN, all outputs of its sample are NaN.
  void forward(std::int64_t batch, const float* in, float* out);

 private:
  float read(const float* in);

  ConvolutionShape shape_;
  SlicedWeights weights_;              // a step covers a row of the kernel over 16 channels
  std::vector<std::int64_t> offsets_;  // of the steps in a slice of inputs_
  std::int64_t slice_bytes_;           // size of a slice in inputs_, with some room after the image
  std::vector<std::int8_t> inputs_;    // [slice, channels / 16, height, width, 16]
};

}  // namespace tandem
