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
      order_(cells ? cells->weight_order() : std::vector<std::int64_t>{}),
      pixel_mean_(architecture.pixel_mean),
      head_weights_(static_cast<std::size_t>(architecture.outputs() * architecture.features())),
      first_(cells ? static_cast<std::size_t>(infos_[0].count + infos_[1].count) : 0),
      heads_(head_weights_ + static_cast<std::size_t>(architecture.outputs())) {
  for (const auto& layer : architecture.torso) {
    first_of_layer_.push_back(first_of_heads_);
    first_of_heads_ += layer.tensors();
  }
  head_rows_ = head_rows(architecture);
}

std::vector<LayerParameters::HeadRow> LayerParameters::head_rows(
    const Architecture& architecture) const {
  const auto features = architecture.features();
  const auto inputs = architecture.head_inputs();
  std::vector<HeadRow> rows;
  for (auto tensor = first_of_heads_; tensor < infos_.size(); tensor += 2) {
    const auto first_input = architecture.dueling && tensor > first_of_heads_ ? inputs : 0;
    const auto& weight = infos_[tensor];
    for (std::int64_t unit = 0; unit < weight.shape[0]; ++unit) {
      const auto row = static_cast<std::int64_t>(rows.size());
      rows.push_back({weight.offset + unit * inputs, row * features + first_input, inputs});
    }
  }
  return rows;
}

void LayerParameters::read(std::span<const float> flat) {
  const auto filter = order_.size();
  const auto weights = filter > 0 ? static_cast<std::size_t>(infos_[0].count) : 0;
  for (std::size_t i = 0; i < weights; ++i) {
    first_[i] = flat[i - i % filter + order_[i % filter]] * kScale;
  }
  for (std::size_t unit = 0; weights + unit < first_.size(); ++unit) {
    const auto row = flat.subspan(unit * filter, filter);
    first_[weights + unit] =
        flat[infos_[1].offset + unit] - pixel_mean_ * std::accumulate(row.begin(), row.end(), 0.0f);
  }
  for (const auto& row : head_rows_) {
    std::ranges::copy(flat.subspan(row.from, row.count), heads_.begin() + row.to);
  }
  auto* bias = heads_.data() + head_weights_;
  for (auto i = first_of_heads_; i < infos_.size(); i += 2) {
    bias = std::ranges::copy(flat.subspan(infos_[i + 1].offset, infos_[i + 1].count), bias).out;
  }
}

void LayerParameters::write(std::span<float> flat) const {
  const auto filter = order_.size();
  const auto weights = filter > 0 ? static_cast<std::size_t>(infos_[0].count) : 0;
  for (std::size_t i = 0; i < weights; ++i) {
    flat[i - i % filter + order_[i % filter]] =
        first_[i] * kScale - pixel_mean_ * first_[weights + i / filter];
  }
  if (filter > 0) {
    std::copy(first_.begin() + static_cast<std::ptrdiff_t>(weights), first_.end(),
              flat.begin() + infos_[1].offset);
  }
  for (const auto& row : head_rows_) {
    std::copy_n(heads_.begin() + row.to, row.count, flat.begin() + row.from);
  }
  const auto* bias = heads_.data() + head_weights_;
  for (auto i = first_of_heads_; i < infos_.size(); i += 2) {
    std::copy_n(bias, infos_[i + 1].count, flat.begin() + infos_[i + 1].offset);
    bias += infos_[i + 1].count;
  }
}

}  // namespace tandem
