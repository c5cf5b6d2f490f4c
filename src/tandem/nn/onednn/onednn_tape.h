// The activations that a network keeps of its forward passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tandem/nn/onednn/onednn_call.h"

namespace tandem::onednn {

/// The activations of some samples: the input of each stage, then what each stage keeps besides.
/// Not thread-safe.
class Tape {
 public:
  /// `sizes`: the bytes of one sample in each of its slots.
  explicit Tape(std::vector<std::size_t> sizes)
      : sizes_(std::move(sizes)), buffers_(sizes_.size()) {}

  [[nodiscard]] std::int64_t samples() const { return samples_; }
  void clear() { samples_ = 0; }

  /// Appends `batch` samples, whose activations are still to be written.
  void extend(std::int64_t batch) {
    first_ = samples_;
    samples_ += batch;
    if (samples_ > capacity_) {
      capacity_ = std::max(samples_, 2 * capacity_);
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        buffers_[i].reserve(capacity_ * sizes_[i], first_ * sizes_[i]);
      }
    }
  }

  [[nodiscard]] std::size_t slots() const { return sizes_.size(); }
  /// The bytes of one sample in slot `i`.
  [[nodiscard]] std::size_t bytes(std::size_t i) const { return sizes_[i]; }

  /// Slot `i` of the samples of the latest extend().
  [[nodiscard]] std::byte* latest(std::size_t i) const {
    return buffers_[i].data() + first_ * sizes_[i];
  }
  [[nodiscard]] std::byte* all(std::size_t i) const { return buffers_[i].data(); }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<Buffer> buffers_;
  std::int64_t capacity_ = 0;
  std::int64_t first_ = 0;
  std::int64_t samples_ = 0;
};

}  // namespace tandem::onednn
