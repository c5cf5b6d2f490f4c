// The forward pass of a dense layer over images, in whole numbers, by AMX's products of tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/nn/digits.h"
#include "tandem/nn/tile.h"

namespace tandem {

/// A dense layer over images, `places` being their height times their width. Value type.
struct ImageDense {
  std::int64_t channels = 0, places = 0;
  std::int64_t outputs = 0;
  bool relu = false;

  [[nodiscard]] std::int64_t inputs() const { return channels * places; }
};

/// Its weights and inputs become whole numbers of three digits (digits.h), by which a product is
/// nine of bytes. The three least of them, together below 2^-23 of the largest product there could
/// be, are left out. AMX does the other six several times as fast as AVX-512 one of floats.
///
/// Not thread-safe. Needs Simd::amx.
class DigitDense {
 public:
  /// Whether it knows this shape: channels and outputs by 16.
  [[nodiscard]] static bool supports(const ImageDense& shape);

  explicit DigitDense(const ImageDense& shape);

  /// weights: [outputs, channels, places]; bias: [outputs]. Copies them. An output with a weight
  /// that is no number is none.
  void load(const float* weights, const float* bias);

  /// in: [batch, channels / 16, places, 16]; out: [batch, outputs]. What a sample gives does not
  /// depend on the others. One with a number that is none gives none.
  void forward(std::int64_t batch, const float* in, float* out);

 private:
  void read(const float* in, std::int64_t row);

  ImageDense shape_;
  std::int64_t spans_;                // of 64 inputs: four vectors of 16, side by side
  std::vector<Tile> weights_;         // [16 outputs, span, digit]
  std::vector<float> scales_, bias_;  // [outputs]

  // Of load(): for 16 outputs.
  std::vector<float> rows_;               // [inputs, 16]
  std::vector<std::int32_t> whole_rows_;  // [inputs + 1, 16]
  std::vector<std::int64_t> order_;       // [spans, 16, 4]: where a row begins among these

  // Of forward(): for one sample, or for all.
  std::vector<std::int32_t> whole_;   // [64 spans]
  std::vector<Tile> inputs_;          // [16 samples, digit, span]
  std::vector<float> sample_scales_;  // [samples, by 16]
};

}  // namespace tandem
