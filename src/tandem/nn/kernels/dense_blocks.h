// The weights of a dense layer in the blocks that oneDNN's products on AVX-512 take.
#pragma once

#include <cstdint>

#include "tandem/nn/kernels/bfloat16.h"

namespace tandem {

/// The sizes of a matrix of weights. Value type.
struct BlockShape {
  static constexpr std::int64_t kOutputs = 64;  // of a block
  static constexpr std::int64_t kInputs = 32;   // copied at once: two blocks of 16

  std::int64_t outputs = 0;
  std::int64_t inputs = 0;

  /// Whether this CPU has AVX-512, and the matrix is made of whole blocks.
  [[nodiscard]] bool supported() const;
};

/// Copies `weights` [outputs, inputs] to `blocks` [outputs / 64, inputs / 16, 16, 64], three times
/// as fast as oneDNN's own reordering. The shape must be supported. Pure, thread-safe.
void pack_blocks(const BlockShape& shape, const float* weights, float* blocks);

/// Does the same with bfloat16s, which lie in pairs of inputs:
/// [outputs / 64, inputs / 16, 8, 64, 2]. The weights must be finite.
void pack_blocks(const BlockShape& shape, const float* weights, Bfloat16* blocks);

}  // namespace tandem
