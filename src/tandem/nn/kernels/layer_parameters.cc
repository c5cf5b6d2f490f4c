#include "tandem/nn/kernels/layer_parameters.h"

#include <algorithm>
#include <numeric>

namespace tandem {
namespace {

constexpr float kScale = 1.0f / 255.0f;

}  // namespace

LayerParameters::LayerParameters(const Architecture& architecture,
                                 const std::optional<Cells>& cells)
    : infos_(architecture.parameters()),
      heads_(architecture.torso.size()),
      head_rows_(head_rows(architecture)),
      order_(cells ? cells->weight_order() : std::vector<std::int64_t>{}),
      pixel_mean_(architecture.pixel_mean),
      first_weights_(cells ? infos_[0].count : 0),
      first_bias_(cells ? infos_[1].count : 0),
      head_weights_(architecture.outputs() * architecture.features()),
      head_bias_(architecture.outputs()) {}

std::vector<LayerParameters::HeadRow> LayerParameters::head_rows(
    const Architecture& architecture) const {
  const auto features = architecture.features();
  const auto inputs = architecture.head_inputs();
  std::vector<HeadRow> rows;
  for (std::size_t head = heads_; 2 * head < infos_.size(); ++head) {
    const auto first_input = architecture.dueling && head > heads_ ? inputs : 0;
    const auto& weight = infos_[2 * head];
    for (std::int64_t unit = 0; unit < weight.shape[0]; ++unit) {
      const auto row = static_cast<std::int64_t>(rows.size());
      rows.push_back({weight.offset + unit * inputs, row * features + first_input, inputs});
    }
  }
  return rows;
}

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
  for (const auto& row : head_rows_) {
    std::ranges::copy(flat.subspan(row.from, row.count), head_weights_.begin() + row.to);
  }
  auto* bias = head_bias_.data();
  for (auto info = infos_.begin() + 2 * heads_; info != infos_.end(); info += 2) {
    bias = std::ranges::copy(flat.subspan(info[1].offset, info[1].count), bias).out;
  }
}

void LayerParameters::write(std::span<float> flat) const {
  const auto filter = order_.size();
  for (std::size_t i = 0; i < first_weights_.size(); ++i) {
    flat[i - i % filter + order_[i % filter]] =
        first_weights_[i] * kScale - pixel_mean_ * first_bias_[i / filter];
  }
  if (filter > 0) std::ranges::copy(first_bias_, flat.begin() + infos_[1].offset);
  for (const auto& row : head_rows_) {
    std::copy_n(head_weights_.begin() + row.to, row.count, flat.begin() + row.from);
  }
  const auto* bias = head_bias_.data();
  for (auto info = infos_.begin() + 2 * heads_; info != infos_.end(); info += 2) {
    std::copy_n(bias, info[1].count, flat.begin() + info[1].offset);
    bias += info[1].count;
  }
}

}  // namespace tandem
