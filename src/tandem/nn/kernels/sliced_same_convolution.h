// The forward pass of a padded convolution of 3x3, in whole numbers, with AMX.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/nn/kernels/sliced_weights.h"

namespace tandem {

/// A convolution of 3x3 with stride 1 over an image that is padded with zeros, so that its output
/// has as many places as the image. Value type.
struct SameShape {
  std::int64_t channels = 0, height = 0, width = 0;
  std::int64_t filters = 0;
  bool adds = false;  // whether the result is added to the numbers in the output
  bool relu = false;  // after that

  [[nodiscard]] std::int64_t places() const { return height * width; }
};

/// The forward pass of such a convolution. Weights and inputs become whole numbers of three slices
/// (SlicedProduct). The convolution goes over the padded image as if its rows were one, and leaves
/// out the places between rows: its products then have sixteen places each, whatever the width. Not
/// thread-safe. Needs Simd::amx.
class SlicedSameConvolution {
 public:
  /// Whether it supports this shape. Channels and filters must be multiples of 16, and the sums
  /// must fit 32 bits.
  [[nodiscard]] static bool supports(const SameShape& shape);

  explicit SlicedSameConvolution(const SameShape& shape);

  /// weights: [filters, channels, 3, 3]; bias: [filters]. Copies them. If a weight is NaN, all
  /// outputs of its filter are NaN.
  void load(const float* weights, const float* bias) { weights_.load(weights, bias); }

  /// One sample. in: [channels / 16, height, width, 16]; out: [filters / 16, height, width, 16]. If
  /// an input is NaN, all outputs are NaN.
  void forward(const float* in, float* out);

 private:
  float read(const float* in);

  SameShape shape_;
  SlicedWeights weights_;              // a step covers a row of the kernel over 16 channels
  std::int64_t row_;                   // places of a row with its padding
  std::vector<std::int64_t> offsets_;  // of the steps in a slice of inputs_
  std::int64_t slice_bytes_;           // size of a slice in inputs_, with some room after the image
  std::vector<std::int8_t> inputs_;    // [slice, channels / 16, height + 2, width + 2, 16]
};

}  // namespace tandem
