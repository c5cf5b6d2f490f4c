// The forward pass of a dense layer over images, in whole numbers, with AMX.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/nn/kernels/sliced_weights.h"
#include "tandem/nn/kernels/tile.h"

namespace tandem {

/// A dense layer over images; `places` is their height times their width. Value type.
struct ImageDense {
  std::int64_t channels = 0, places = 0;
  std::int64_t outputs = 0;
  bool relu = false;

  [[nodiscard]] std::int64_t inputs() const { return channels * places; }
};

/// The forward pass of such a layer. Weights and inputs become whole numbers of three slices
/// (SlicedProduct). Not thread-safe. Needs Simd::amx.
class SlicedDense {
 public:
  /// Whether it supports this shape. Channels and outputs must be multiples of 16, and the sums
  /// must fit 32 bits.
  [[nodiscard]] static bool supports(const ImageDense& shape);

  explicit SlicedDense(const ImageDense& shape);

  /// weights: [outputs, channels, places]; bias: [outputs]. Copies them. If a weight is NaN, its
  /// output is NaN.
  void load(const float* weights, const float* bias) { weights_.load(weights, bias); }

  /// in: [batch, channels / 16, places, 16]; out: [batch, outputs]. A sample's outputs do not
  /// depend on the other samples. If an input is NaN, all outputs of its sample are NaN.
  void forward(std::int64_t batch, const float* in, float* out);

 private:
  float read(const float* in, Tile* tile, std::int64_t row) const;

  ImageDense shape_;
  SlicedWeights weights_;              // a step covers four vectors of 16 channels, side by side
  std::vector<std::int64_t> offsets_;  // of the steps in inputs_
  std::vector<Tile> inputs_;           // [block of up to 16 samples, step, slice]
  std::vector<float> scales_;          // [sample]
};

}  // namespace tandem
