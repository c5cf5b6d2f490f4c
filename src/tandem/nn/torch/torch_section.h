// Only torch_network.cc includes it: it includes libtorch.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_backward.h>
#include <ATen/ops/threshold_backward.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/torch/tape.h"

namespace tandem {

/// Weight and bias of a convolution or a dense layer.
struct LayerTensors {
  at::Tensor weight;
  at::Tensor bias;
};

/// The convolutions, the pool and the blocks of a residual section (Layer). A tape has slots for
/// the pool's places and for the input of each block's two convolutions.
class TorchSection {
 public:
  /// `input`: the shape of one sample's input; `slot`: the first of its slots on a tape.
  TorchSection(const Layer& layer, Shape input, std::size_t slot)
      : units_(layer.units),
        blocks_(static_cast<std::size_t>(layer.blocks)),
        input_(std::move(input)),
        slot_(slot) {}

  /// The slots that it needs on a tape.
  [[nodiscard]] std::vector<TapeSlot> slots() const {
    const Shape output{units_, (input_[1] + 1) / 2, (input_[2] + 1) / 2};
    std::vector<TapeSlot> slots(1 + 2 * blocks_, {output});
    slots.front().type = at::kLong;
    return slots;
  }

  /// Takes new parameters: the first convolution's, then those of each block's two.
  void load(std::span<const LayerTensors> layers) {
    layers_.assign(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(1 + 2 * blocks_));
    for (auto& layer : layers_) {
      layer.weight = layer.weight.contiguous(at::MemoryFormat::ChannelsLast);
    }
  }

  /// Returns the output of the latest samples before the activation, and keeps the other
  /// activations on the tape.
  [[nodiscard]] at::Tensor forward(const at::Tensor& x, const Tape& tape) const {
    auto places = tape.latest(slot_);
    auto [sum, found] =
        at::max_pool2d_with_indices(convolve(0, x), kWindow, kStride, padding(), {1, 1}, kCeiling);
    places.copy_(found);
    for (std::size_t block = 0; block < blocks_; ++block) {
      auto rectified = tape.latest(slot_ + 1 + 2 * block);
      auto inner = tape.latest(slot_ + 2 + 2 * block);
      at::clamp_min_out(rectified, sum, 0);
      at::clamp_min_out(inner, convolve(1 + 2 * block, rectified), 0);
      sum = sum.add_(convolve(2 + 2 * block, inner));
    }
    return sum;
  }

  /// Writes the gradients of the parameters of all samples on the tape, from the gradient of the
  /// output before the activation. Returns the gradient of the input `x`, which is undefined unless
  /// `needed`.
  [[nodiscard]] at::Tensor backward(const at::Tensor& x, at::Tensor d, const Tape& tape,
                                    std::span<const LayerTensors> gradients, bool needed) const {
    for (auto block = blocks_; block-- > 0;) {
      const auto rectified = tape.all(slot_ + 1 + 2 * block);
      const auto inner = tape.all(slot_ + 2 + 2 * block);
      const auto conv = 1 + 2 * block;
      auto d_inner = convolve_back(conv + 1, inner, d, gradients[conv + 1], true);
      d_inner = at::threshold_backward(d_inner, inner, 0);
      const auto d_rectified = convolve_back(conv, rectified, d_inner, gradients[conv], true);
      d = d.add(at::threshold_backward(d_rectified, rectified, 0));
    }
    // Of the pool's input the shape alone is needed.
    const auto image = at::empty({x.size(0), units_, x.size(2), x.size(3)}, x.options(),
                                 at::MemoryFormat::ChannelsLast);
    d = at::max_pool2d_with_indices_backward(d, image, kWindow, kStride, padding(), {1, 1},
                                             kCeiling, tape.all(slot_));
    return convolve_back(0, x, d, gradients[0], needed);
  }

 private:
  static constexpr std::int64_t kWindow[] = {3, 3};
  static constexpr std::int64_t kStride[] = {2, 2};
  // An even size needs padding behind its end alone: the last window reaches over it.
  static constexpr bool kCeiling = true;

  [[nodiscard]] Shape padding() const { return {input_[1] % 2, input_[2] % 2}; }

  [[nodiscard]] at::Tensor convolve(std::size_t i, const at::Tensor& x) const {
    return at::convolution(x, layers_[i].weight, layers_[i].bias, {1, 1}, {1, 1}, {1, 1}, false,
                           {0, 0}, 1);
  }

  [[nodiscard]] at::Tensor convolve_back(std::size_t i, const at::Tensor& x, const at::Tensor& d,
                                         const LayerTensors& gradients, bool needed) const {
    auto [d_x, d_weight, d_bias] =
        at::convolution_backward(d, x, layers_[i].weight, units_, {1, 1}, {1, 1}, {1, 1}, false,
                                 {0, 0}, 1, {needed, true, true});
    gradients.weight.copy_(d_weight);
    gradients.bias.copy_(d_bias);
    return d_x;
  }

  std::int64_t units_;
  std::size_t blocks_;
  Shape input_;
  std::size_t slot_;
  std::vector<LayerTensors> layers_;
};

}  // namespace tandem
