// The flat buffer of parameters as a network takes it, layer by layer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/pixels.h"

namespace tandem {

/// Parameters, or their gradients, by layers: the torso's, then the heads as one layer of all their
/// outputs. Where there are cells, the first layer is one over cells of bytes b from 0 to 255
/// instead of pixels b / 255 - m, m being their mean: its weights are divided by 255, and its bias
/// is lessened by m times their sum. Such a layer and the heads stand in a copy, all others in the
/// flat buffer itself. Not thread-safe.
class LayerParameters {
 public:
  template <class T>
  struct Part {
    T* weights;
    T* bias;
  };

  LayerParameters(const Architecture& architecture, const std::optional<Cells>& cells);

  /// Makes the copies those of `flat`.
  void read(std::span<const float> flat);

  /// Of gradients: puts the copies, as those of the parameters, into their places in `flat`.
  void write(std::span<float> flat) const;

  /// Layer `i`, where `flat` is what read() was or write() will be given.
  template <class T>
  Part<T> layer(std::size_t i, std::span<T> flat) {
    if (i == heads_) return {head_weights_.data(), head_bias_.data()};
    if (i == 0 && !order_.empty()) return {first_weights_.data(), first_bias_.data()};
    return {flat.data() + infos_[2 * i].offset, flat.data() + infos_[2 * i + 1].offset};
  }

 private:
  /// Some numbers of a row of the heads' layer.
  struct HeadRow {
    std::int64_t from;  // in the flat buffer
    std::int64_t to;    // in the copy
    std::int64_t count;
  };

  [[nodiscard]] std::vector<HeadRow> head_rows(const Architecture& architecture) const;

  std::vector<ParameterInfo> infos_;
  std::size_t heads_;                // the heads' index among the layers
  std::vector<HeadRow> head_rows_;   // all but these are 0: a head has inputs of its own
  std::vector<std::int64_t> order_;  // of a filter over cells; empty: no cells
  float pixel_mean_;
  std::vector<float> first_weights_;
  std::vector<float> first_bias_;
  std::vector<float> head_weights_;
  std::vector<float> head_bias_;
};

}  // namespace tandem
