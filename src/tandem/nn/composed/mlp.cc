#include "tandem/nn/composed/mlp.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tandem/nn/kernels/activation.h"

namespace tandem {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

void sum_rows(std::span<const float> rows, std::span<float> sums) {
  std::ranges::fill(sums, 0.0F);
  for (std::size_t first = 0; first < rows.size(); first += sums.size()) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += rows[first + i];
  }
}

}  // namespace

Mlp::Mlp(const Architecture& architecture, std::span<const float> parameters, Simd simd)
    : parameters_(parameters), kernels_(dense_kernels(simd)) {
  const bool dense = std::ranges::all_of(
      architecture.torso, [](const Layer& layer) { return layer.kind == Layer::Kind::dense; });
  require(dense && architecture.lstm == 0 && !architecture.separate && !architecture.value_head,
          "Mlp: dense layers and one head are all that it computes");
  const auto infos = architecture.parameters();
  require(static_cast<std::int64_t>(parameters.size()) == architecture.parameter_count(),
          "Mlp: the parameters are not as many as those of the architecture");
  for (std::size_t i = 0; i < infos.size(); i += 2) {
    const bool head = i / 2 == architecture.torso.size();
    layers_.push_back(
        {.inputs = infos[i].shape[1],
         .outputs = infos[i].shape[0],
         .weights = static_cast<std::size_t>(infos[i].offset),
         .bias = static_cast<std::size_t>(infos[i + 1].offset),
         .activation = head ? Activation::none : architecture.torso[i / 2].activation});
  }
  passing_.inputs.resize(layers_.size());
  recorded_.inputs.resize(layers_.size());
}

void Mlp::forward(std::span<const float> x, std::span<float> y) { run(x, y, passing_); }

void Mlp::record(std::span<const float> x, std::span<float> y) { run(x, y, recorded_); }

void Mlp::run(std::span<const float> x, std::span<float> y, Tape& tape) const {
  const auto samples = static_cast<std::int64_t>(y.size()) / layers_.back().outputs;
  const auto is = [&](std::size_t size, std::int64_t width) {
    return size == static_cast<std::size_t>(samples * width);
  };
  require(
      samples > 0 && is(x.size(), layers_.front().inputs) && is(y.size(), layers_.back().outputs),
      "Mlp: the batch has other sizes than the network");
  tape.samples = samples;
  tape.inputs.front().assign(x.begin(), x.end());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto& layer = layers_[i];
    auto out = y;
    if (i + 1 < layers_.size()) {
      tape.inputs[i + 1].resize(static_cast<std::size_t>(samples * layer.outputs));
      out = tape.inputs[i + 1];
    }
    const auto bias = parameters_.subspan(layer.bias, static_cast<std::size_t>(layer.outputs));
    for (auto row = out.begin(); row != out.end();) row = std::ranges::copy(bias, row).out;
    kernels_.forward({samples, layer.inputs, layer.outputs}, &parameters_[layer.weights],
                     tape.inputs[i].data(), out.data());
    activate(layer.activation, out);
  }
}

void Mlp::backward(std::span<const float> d_y, std::span<float> gradient, std::span<float> d_x) {
  const auto samples = recorded_.samples;
  const auto count = [&](std::int64_t width) { return static_cast<std::size_t>(samples * width); };
  require(samples > 0, "Mlp::backward: nothing is recorded");
  require(d_y.size() == count(layers_.back().outputs) &&
              (gradient.empty() || gradient.size() == parameters_.size()) &&
              (d_x.empty() || d_x.size() == count(layers_.front().inputs)),
          "Mlp::backward: the gradients have other sizes than what is recorded");
  d_output_.assign(d_y.begin(), d_y.end());
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const auto& layer = layers_[i];
    const DenseShape shape{samples, layer.inputs, layer.outputs};
    if (!gradient.empty()) {
      kernels_.to_weights(shape, d_output_.data(), recorded_.inputs[i].data(),
                          &gradient[layer.weights]);
      sum_rows(d_output_, gradient.subspan(layer.bias, static_cast<std::size_t>(layer.outputs)));
    }
    if (i == 0 && d_x.empty()) return;
    d_input_.assign(count(layer.inputs), 0.0F);
    kernels_.to_input(shape, &parameters_[layer.weights], d_output_.data(), d_input_.data());
    if (i > 0) {
      activation_backward(layers_[i - 1].activation, d_input_.size(), recorded_.inputs[i].data(),
                          d_input_.data(), d_input_.data());
    }
    std::swap(d_output_, d_input_);
  }
  std::ranges::copy(d_output_, d_x.begin());
}

}  // namespace tandem
