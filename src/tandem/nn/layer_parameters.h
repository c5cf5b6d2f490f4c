// The flat buffer of parameters as a network over cells takes it, layer by layer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/pixels.h"

namespace tandem {

/// Parameters, or their gradients, by layers: the torso's, then the heads as one layer of all their
/// outputs. The first layer's weights are those over cells of bytes from 0 to 255, and so divided
/// by 255. They and the heads' stand in a copy, all others in the flat buffer itself. Not
/// thread-safe.
class LayerParameters {
 public:
  template <class T>
  struct Part {
    T* weights;
    T* bias;
  };

  LayerParameters(const Architecture& architecture, const Cells& cells);

  /// Makes the copies those of `flat`.
  void read(std::span<const float> flat);

  /// Of gradients: puts the copies into their places in `flat`.
  void write(std::span<float> flat) const;

  /// Layer `i`, where `flat` is what read() was or write() will be given.
  template <class T>
  Part<T> layer(std::size_t i, std::span<T> flat) {
    if (i == heads_) return {head_weights_.data(), head_bias_.data()};
    auto* bias = flat.data() + infos_[2 * i + 1].offset;
    if (i == 0) return {first_weights_.data(), bias};
    return {flat.data() + infos_[2 * i].offset, bias};
  }

 private:
  std::vector<ParameterInfo> infos_;
  std::size_t heads_;                // the heads' index among the layers
  std::vector<std::int64_t> order_;  // of a filter of the first layer
  std::vector<float> first_weights_;
  std::vector<float> head_weights_;
  std::vector<float> head_bias_;
};

}  // namespace tandem
