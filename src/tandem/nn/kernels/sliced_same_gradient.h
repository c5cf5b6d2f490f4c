// The gradient of a padded convolution's parameters, in whole numbers, with AMX.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/nn/kernels/sliced_same_convolution.h"
#include "tandem/nn/kernels/tile.h"

namespace tandem {

/// Sums the gradients of the parameters of a SlicedSameConvolution over samples. Images and
/// gradients become whole numbers of three slices, with one scale for each sample; of the products
/// of slices the same are left out as in SlicedProduct. For each place of the kernel, channels and
/// filters are the sides of a product of matrices, and the image's places are its inner dimension.
/// Image and gradient lie as if the rows of the padded image were one, so that a place of the
/// kernel is a distance between the two. Not thread-safe. Needs Simd::amx.
class SlicedSameGradient {
 public:
  /// Whether it supports this shape. Channels and filters must be multiples of 16, and the sums
  /// must fit 32 bits.
  [[nodiscard]] static bool supports(const SameShape& shape);

  explicit SlicedSameGradient(const SameShape& shape);

  /// Begins a new sum.
  void clear();

  /// Adds one sample's gradients. image: [channels / 16, height, width, 16]; d_out: [filters / 16,
  /// height, width, 16]. If a number is NaN, all gradients of weights are NaN.
  void add(const float* image, const float* d_out);

  /// Writes the sums: [filters, channels, 3, 3] and [filters].
  void write(float* d_weights, float* d_bias) const;

 private:
  float read_image(const float* image);
  float read_gradient(const float* d_out);
  void add_products(float of_image, float of_gradient);

  SameShape shape_;
  std::int64_t row_;                 // places of a row with its padding
  std::int64_t steps_;               // of 64 places of the gradient
  std::int64_t image_bytes_;         // of a channel's slice
  std::vector<float> flat_;          // a plane of the gradient with its padding: [64 * steps, 16]
  std::vector<std::int32_t> whole_;  // a plane of the image, with its padding: [image_bytes, 16]
  std::vector<std::int8_t> image_;   // [channels / 16, slice, 16, image_bytes]
  std::vector<Tile> gradient_;       // [filters / 16, slice, steps]
  std::vector<float> d_weights_;     // [filters / 16, channels / 16, 9, 16 channels, 16 filters]
  std::vector<float> d_bias_;        // [filters]
};

}  // namespace tandem
