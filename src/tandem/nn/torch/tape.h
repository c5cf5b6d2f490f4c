// Only torch_network.cc and torch_section.h include it: it includes libtorch.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tandem {

using Shape = std::vector<std::int64_t>;

/// A tensor that a tape keeps of each sample.
struct TapeSlot {
  Shape shape;  // of one sample
  at::ScalarType type = at::kFloat;
};

/// The activations of some samples, images with their channels last: the inputs to each layer of
/// the torso and to the heads, then what sections keep besides. Buffers grow when needed and are
/// reused.
class Tape {
 public:
  Tape(std::vector<TapeSlot> slots, at::Device device)
      : slots_(std::move(slots)), buffers_(slots_.size()), device_(device) {}

  [[nodiscard]] std::int64_t samples() const { return samples_; }
  void clear() { samples_ = 0; }

  /// Appends `batch` samples, whose activations are still to be written.
  void extend(std::int64_t batch) {
    first_ = samples_;
    samples_ += batch;
    if (samples_ > capacity_) grow(std::max(samples_, 2 * capacity_));
  }

  /// Slot `i` of the samples of the latest extend().
  [[nodiscard]] at::Tensor latest(std::size_t i) const {
    return buffers_[i].narrow(0, first_, samples_ - first_);
  }
  [[nodiscard]] at::Tensor all(std::size_t i) const { return buffers_[i].narrow(0, 0, samples_); }

 private:
  void grow(std::int64_t capacity) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      auto shape = slots_[i].shape;
      shape.insert(shape.begin(), capacity);
      const auto format =
          shape.size() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
      auto buffer = at::empty(shape, at::TensorOptions(slots_[i].type).device(device_), format);
      if (first_ > 0) buffer.narrow(0, 0, first_).copy_(buffers_[i].narrow(0, 0, first_));
      buffers_[i] = std::move(buffer);
    }
    capacity_ = capacity;
  }

  std::vector<TapeSlot> slots_;
  std::vector<at::Tensor> buffers_;
  at::Device device_;
  std::int64_t capacity_ = 0;
  std::int64_t first_ = 0;
  std::int64_t samples_ = 0;
};

}  // namespace tandem
