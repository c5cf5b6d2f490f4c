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
/// their outputs. A layer's tensors follow one another: its weights, then its bias, and so on for
/// each convolution of a section. With cells, the first layer takes cells of bytes b from 0 to 255
/// instead of pixels b / 255 - m, where m is the pixels' mean. Its weights are then divided by 255,
/// and m times the sum of the original weights is subtracted from its bias. Such a layer and the
/// heads are copies; all other layers stay in the flat buffer. Not thread-safe.
class LayerParameters {
 public:
  LayerParameters(const Architecture& architecture, const std::optional<Cells>& cells);

  /// Copies the first layer, if it takes cells, and the heads from `flat`.
  void read(std::span<const float> flat);

  /// For gradients: converts the copies to gradients of the parameters, and writes them to their
  /// places in `flat`.
  void write(std::span<float> flat) const;

  /// The tensors of layer `i`; `flat` is the buffer of read() or write().
  template <class T>
  T* layer(std::size_t i, std::span<T> flat) {
    if (i == first_of_layer_.size()) return heads_.data();
    if (i == 0 && !order_.empty()) return first_.data();
    return flat.data() + infos_[first_of_layer_[i]].offset;
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
  std::vector<std::size_t> first_of_layer_;  // the index of each torso layer's first tensor
  std::size_t first_of_heads_ = 0;           // of the heads' first tensor
  std::vector<HeadRow> head_rows_;           // a dueling head's row is 0 at the other head's inputs
  std::vector<std::int64_t> order_;  // order of weights in a filter over cells; empty: no cells
  float pixel_mean_;
  std::size_t head_weights_;  // the number of weights of all heads
  std::vector<float> first_;  // the first layer's weights, and its bias
  std::vector<float> heads_;  // the heads' weights, and their biases
};

}  // namespace tandem
