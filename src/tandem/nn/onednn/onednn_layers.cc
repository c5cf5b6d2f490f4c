#include "tandem/nn/onednn/onednn_layers.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "tandem/base/cpu.h"

namespace tandem::onednn {
namespace {

/// Whether AMX can compute the first layer from the images' bytes.
bool takes_bytes(const LayerSpec& first) {
  return first.type == Type::f32 && first.activation == Activation::relu &&
         best_simd() == Simd::amx && CellConvolution::supports(cell_shape(first));
}

bool begins_with_convolution(const Architecture& architecture) {
  return !architecture.torso.empty() &&
         architecture.torso.front().kind == tandem::Layer::Kind::conv;
}

/// The shape of one observation as the first layer takes it.
Dims first_input(const Architecture& architecture, const std::optional<Cells>& cells) {
  if (cells) return {cells->depth(), cells->rows(), cells->columns()};
  const auto& shape = architecture.input_shape;
  if (begins_with_convolution(architecture)) return shape;
  return {std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies())};
}

/// The torso's layers, then the heads as one layer.
std::vector<LayerSpec> layer_specs(const Architecture& architecture, Precision precision) {
  const auto type = precision == Precision::bf16 ? Type::bf16 : Type::f32;
  const auto cells = first_cells(architecture);
  const auto outputs = architecture.output_shapes();
  std::vector<LayerSpec> specs;
  Dims input = first_input(architecture, cells);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& layer = architecture.torso[i];
    const bool over_cells = i == 0 && cells;
    LayerSpec spec{.input = input,
                   .output = outputs[i],
                   .weights = {layer.units},
                   .stride = over_cells ? 1 : layer.stride,
                   .activation = layer.activation,
                   .first = i == 0,
                   .type = type,
                   .output_type = i + 1 == outputs.size() ? Type::f32 : type};
    spec.weights.insert(spec.weights.end(), input.begin(), input.end());
    if (layer.kind == tandem::Layer::Kind::conv) {
      const auto kernel = over_cells ? cells->reach() : layer.kernel;
      std::fill(spec.weights.end() - 2, spec.weights.end(), kernel);
    }
    if (over_cells && takes_bytes(spec)) spec.type = Type::u8;
    input = spec.output;
    specs.push_back(std::move(spec));
  }
  Dims weights{architecture.outputs()};
  weights.insert(weights.end(), input.begin(), input.end());
  specs.push_back({.input = input,
                   .output = {architecture.outputs()},
                   .weights = weights,
                   .first = specs.empty()});
  return specs;
}

}  // namespace

std::optional<Cells> first_cells(const Architecture& architecture) {
  if (architecture.input_dtype != DType::u8 || !begins_with_convolution(architecture)) return {};
  constexpr std::int64_t kLanes = 16;
  const auto& image = architecture.input_shape;
  const auto& layer = architecture.torso.front();
  const Cells cells{image[0], image[1], image[2], layer.kernel, layer.stride};
  if (layer.units % kLanes != 0 || !cells.writable()) return {};
  return cells;
}

std::vector<Layer> make_layers(Context& context, const Architecture& architecture,
                               Precision precision) {
  const auto specs = layer_specs(architecture, precision);
  // Cells have a layout that oneDNN chooses.
  const auto first = first_cells(architecture) ? Tag::any : Tag::nhwc;
  std::vector<Layer> layers;
  layers.reserve(specs.size());
  for (const auto& spec : specs) {
    const bool flat = spec.input.size() == 1;
    const auto before = layers.empty() ? first : layers.back().output_tag();
    layers.emplace_back(context, spec, flat ? Tag::nc : before);
  }
  return layers;
}

std::vector<std::size_t> input_sizes(const std::vector<Layer>& layers) {
  std::vector<std::size_t> sizes;
  sizes.reserve(layers.size());
  for (const auto& layer : layers) sizes.push_back(layer.input_bytes());
  return sizes;
}

}  // namespace tandem::onednn
