// Writes observations in the layout that the first layer takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/pixels.h"
#include "tandem/nn/onednn/onednn_stage.h"

namespace tandem::onednn {

/// Writes observations in the layout and the type of a network's first layer (make_layers): as
/// cells of numbers from 0 to 255 or, without cells, as numbers. Without cells, bytes are divided
/// by 255, and their mean is subtracted. Not thread-safe.
class InputWriter {
 public:
  InputWriter(const Architecture& architecture, const Stage& first);

  /// Writes samples [first, first + count) of all samples in the pieces, each of which holds whole
  /// observations.
  void write(std::span<const std::span<const std::byte>> pieces, std::int64_t first,
             std::int64_t count, std::byte* out);

 private:
  void write(std::span<const std::byte> observations, std::int64_t batch, std::byte* out);

  std::optional<Cells> cells_;
  DType dtype_;
  float mean_;
  std::int64_t channels_, pixels_;  // of an observation; a vector is one channel
  std::int64_t bytes_;              // of an observation
  Type type_;                       // of the first layer's input
  std::int64_t block_;              // channels that lie together in that input
  std::int64_t out_bytes_;          // bytes of an observation in that input
  std::vector<float> numbers_;      // numbers to be rounded to bfloat16
};

}  // namespace tandem::onednn
