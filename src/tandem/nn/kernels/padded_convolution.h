// A first convolution of few channels, of 3x3 and with padding.
#pragma once

#include <cstdint>
#include <vector>

namespace tandem {

/// A convolution of 3x3 with stride 1 over an image [height, width, channels] that is padded with
/// zeros, so that its outputs [planes, height, width, lanes] have a place for each pixel. The last
/// of `lanes` filters' planes may have fewer filters. Value type.
struct PaddedShape {
  std::int64_t channels = 0, height = 0, width = 0;
  std::int64_t filters = 0;
  std::int64_t lanes = 0;  // filters that lie together: 8 or 16

  [[nodiscard]] std::int64_t planes() const { return (filters + lanes - 1) / lanes; }
  /// The count of a sample's outputs.
  [[nodiscard]] std::int64_t outputs() const { return planes() * height * width * lanes; }
};

/// The convolution forward, and backward to its parameters, one sample at a time. Images of few
/// channels fill no vector registers, so its vectors hold filters. Not thread-safe.
class PaddedConvolution {
 public:
  explicit PaddedConvolution(const PaddedShape& shape);

  /// weights: [filters, channels, 3, 3]; bias: [filters]. Copies them.
  void load(const float* weights, const float* bias);

  void forward(const float* image, float* out);

  /// Adds one sample's gradients of the parameters to those of the samples since clear().
  void add_gradients(const float* image, const float* d_out);

  /// Begins a new sum of gradients.
  void clear();

  /// Writes the sum of gradients, laid out as in load().
  void write_gradients(float* d_weights, float* d_bias) const;

 private:
  [[nodiscard]] std::int64_t place(std::int64_t filter, std::int64_t channel, std::int64_t row,
                                   std::int64_t column) const;
  void pad(const float* image);

  PaddedShape shape_;
  std::vector<float> padded_;   // [height + 2, width + 2, channels]
  std::vector<float> weights_;  // [planes, 3, 3 * channels, lanes]
  std::vector<float> bias_;     // [planes, lanes]
  std::vector<float> d_weights_, d_bias_;
};

}  // namespace tandem
