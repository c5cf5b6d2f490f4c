#include "tandem/nn/layer_parameters.h"

#include <algorithm>
#include <numeric>

namespace tandem {
namespace {

constexpr float kScale = 1.0f / 255.0f;

}  // namespace

LayerParameters::LayerParameters(const Architecture& architecture, const Cells& cells)
    : infos_(architecture.parameters()),
      heads_(architecture.torso.size()),
      order_(cells.weight_order()),
      pixel_mean_(architecture.pixel_mean),
      first_weights_(infos_[0].count),
      first_bias_(infos_[1].count),
      head_weights_(architecture.outputs() * infos_[2 * heads_].fan_in),
      head_bias_(architecture.outputs()) {}

void LayerParameters::read(std::span<const float> flat) {
  const auto filter = order_.size();
  for (std::size_t i = 0; i < first_weights_.size(); ++i) {
    first_weights_[i] = flat[i - i % filter + order_[i % filter]] * kScale;
  }
  for (std::size_t unit = 0; unit < first_bias_.size(); ++unit) {
    const auto weights = flat.subspan(unit * filter, filter);
    first_bias_[unit] = flat[infos_[1].offset + unit] -
                        pixel_mean_ * std::accumulate(weights.begin(), weights.end(), 0.0f);
  }
  auto* weights = head_weights_.data();
  auto* bias = head_bias_.data();
  for (auto info = infos_.begin() + 2 * heads_; info != infos_.end(); info += 2) {
    weights = std::ranges::copy(flat.subspan(info[0].offset, info[0].count), weights).out;
    bias = std::ranges::copy(flat.subspan(info[1].offset, info[1].count), bias).out;
  }
}

void LayerParameters::write(std::span<float> flat) const {
  const auto filter = order_.size();
  for (std::size_t i = 0; i < first_weights_.size(); ++i) {
    flat[i - i % filter + order_[i % filter]] =
        first_weights_[i] * kScale - pixel_mean_ * first_bias_[i / filter];
  }
  std::ranges::copy(first_bias_, flat.begin() + infos_[1].offset);
  const auto* weights = head_weights_.data();
  const auto* bias = head_bias_.data();
  for (auto info = infos_.begin() + 2 * heads_; info != infos_.end(); info += 2) {
    std::copy_n(weights, info[0].count, flat.begin() + info[0].offset);
    std::copy_n(bias, info[1].count, flat.begin() + info[1].offset);
    weights += info[0].count;
    bias += info[1].count;
  }
}

}  // namespace tandem
