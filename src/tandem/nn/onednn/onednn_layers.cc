#include "tandem/nn/onednn/onednn_layers.h"

#include <algorithm>
#include <utility>

#include "tandem/base/cpu.h"

namespace tandem::onednn {
namespace {

/// Whether AMX can compute the first layer from the images' bytes.
bool takes_bytes(const LayerSpec& first) {
  return first.type == Type::f32 && best_simd() == Simd::amx &&
         CellConvolution::supports(cell_shape(first));
}

/// The torso's layers, then the heads as one.
std::vector<LayerSpec> layer_specs(const Architecture& architecture, Precision precision) {
  const auto type = precision == Precision::bf16 ? Type::bf16 : Type::f32;
  const auto cells = first_cells(architecture);
  const auto outputs = architecture.output_shapes();
  std::vector<LayerSpec> specs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& layer = architecture.torso[i];
    LayerSpec spec{.input = i == 0 ? Dims{cells.depth(), cells.rows(), cells.columns()}
                                   : Dims(specs.back().output),
                   .output = outputs[i],
                   .weights = {layer.units},
                   .stride = i == 0 ? 1 : layer.stride,
                   .relu = true,
                   .first = i == 0,
                   .type = type,
                   .output_type = i + 1 == outputs.size() ? Type::f32 : type};
    spec.weights.insert(spec.weights.end(), spec.input.begin(), spec.input.end());
    if (layer.kind == tandem::Layer::Kind::conv) {
      const auto kernel = i == 0 ? cells.reach() : layer.kernel;
      std::fill(spec.weights.end() - 2, spec.weights.end(), kernel);
    }
    if (i == 0 && takes_bytes(spec)) spec.type = Type::u8;
    specs.push_back(std::move(spec));
  }
  const auto features = specs.back().output;
  Dims weights{architecture.outputs()};
  weights.insert(weights.end(), features.begin(), features.end());
  specs.push_back({.input = features, .output = {architecture.outputs()}, .weights = weights});
  return specs;
}

}  // namespace

Cells first_cells(const Architecture& architecture) {
  const auto& image = architecture.input_shape;
  const auto& layer = architecture.torso.front();
  return {image[0], image[1], image[2], layer.kernel, layer.stride};
}

std::vector<Layer> make_layers(Context& context, const Architecture& architecture,
                               Precision precision) {
  const auto specs = layer_specs(architecture, precision);
  std::vector<Layer> layers;
  layers.reserve(specs.size());
  for (const auto& spec : specs) {
    const bool flat = spec.input.size() == 1;
    const auto before = layers.empty() ? Tag::any : layers.back().output_tag();
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
