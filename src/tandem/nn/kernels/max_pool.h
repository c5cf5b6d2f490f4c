// The maximum over 3x3 places with stride 2, forward and backward.
#pragma once

#include <cstdint>

#include "tandem/nn/kernels/bfloat16.h"

namespace tandem {

/// Images [planes, height, width, lanes] of a pool, whose outputs are [planes, out_height,
/// out_width, lanes]. TensorFlow's SAME padding: an odd size has a place of padding on both sides,
/// an even size one behind its end. Padding is never the maximum. Value type.
struct PoolShape {
  std::int64_t planes = 0, height = 0, width = 0;
  std::int64_t lanes = 0;  // channels that lie together

  [[nodiscard]] std::int64_t out_height() const { return (height + 1) / 2; }
  [[nodiscard]] std::int64_t out_width() const { return (width + 1) / 2; }
  [[nodiscard]] std::int64_t inputs() const { return planes * height * width * lanes; }
  [[nodiscard]] std::int64_t outputs() const { return planes * out_height() * out_width() * lanes; }
};

/// Computes one sample's maxima, and writes to `places` which of its nine places, 0 to 8, gave each
/// maximum: the first, if several are as large. A NaN is a maximum. Stateless; safe to call from
/// many threads.
void max_pool(const PoolShape& shape, const float* in, float* out, std::uint8_t* places);
void max_pool(const PoolShape& shape, const Bfloat16* in, Bfloat16* out, std::uint8_t* places);
void max_pool(const PoolShape& shape, const Bfloat16* in, float* out, std::uint8_t* places);

/// Computes the gradients of one sample's inputs from those of its maxima. Stateless; safe to call
/// from many threads.
void max_pool_backward(const PoolShape& shape, const float* d_out, const std::uint8_t* places,
                       float* d_in);
void max_pool_backward(const PoolShape& shape, const Bfloat16* d_out, const std::uint8_t* places,
                       Bfloat16* d_in);

}  // namespace tandem
