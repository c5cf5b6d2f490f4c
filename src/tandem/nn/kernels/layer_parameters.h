// Splits the flat buffer of parameters into layers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/pixels.h"

namespace tandem {

/// Parameters, or their gradients, by layers: the torso's, then the heads as one layer with all
/// their outputs. With cells, the first layer takes cells of bytes b from 0 to 255 instead of
/// pixels b / 255 - m, where m is the pixels' mean. Its weights are then divided by 255, and m
/// times the sum of the original weights is subtracted from its bias. Such a layer and the heads
/// are copies; all other layers stay in the flat buffer. Not thread-safe.
class LayerParameters {
 public:
  template <class T>
  struct Part {
    T* weights;
    T* bias;
  };

  LayerParameters(const Architecture& architecture, const std::optional<Cells>& cells);

  /// Copies the first layer, if it takes cells, and the heads from `flat`.
  void read(std::span<const float> flat);

  /// For gradients: converts the copies to gradients of the parameters, and writes them to their
  /// places in `flat`.
  void write(std::span<float> flat) const;

  /// Layer `i`; `flat` is the buffer of read() or write().
  template <class T>
  Part<T> layer(std::size_t i, std::span<T> flat) {
    if (i == heads_) return {head_weights_.data(), head_bias_.data()};
    if (i == 0 && !order_.empty()) return {first_weights_.data(), first_bias_.data()};
    return {flat.data() + infos_[2 * i].offset, flat.data() + infos_[2 * i + 1].offset};
  }

 private:
  /// The weights of one output of the heads' layer.
  struct HeadRow {
    std::int64_t from;  // its place in the flat buffer
    std::int64_t to;    // its place in the copy
    std::int64_t count;
  };

  [[nodiscard]] std::vector<HeadRow> head_rows(const Architecture& architecture) const;

  std::vector<ParameterInfo> infos_;
  std::size_t heads_;                // the heads' index among the layers
  std::vector<HeadRow> head_rows_;   // a dueling head's row is 0 at the other head's inputs
  std::vector<std::int64_t> order_;  // order of weights in a filter over cells; empty: no cells
  float pixel_mean_;
  std::vector<float> first_weights_;
  std::vector<float> first_bias_;
  std::vector<float> head_weights_;
  std::vector<float> head_bias_;
};

}  // namespace tandem
