#include "tandem/nn/onednn/onednn_layers.h"

#include <algorithm>
#include <utility>

#include "tandem/base/cpu.h"
#include "tandem/nn/onednn/onednn_layer.h"
#include "tandem/nn/onednn/onednn_layouts.h"
#include "tandem/nn/onednn/onednn_section.h"

namespace tandem::onednn {
namespace {

/// Whether AMX can compute the first layer from the images' bytes.
bool takes_bytes(const LayerSpec& first) {
  return first.type == Type::f32 && first.activation == Activation::relu &&
         best_simd() == Simd::amx && CellConvolution::supports(cell_shape(first));
}

using Kind = tandem::Layer::Kind;

bool begins_with_convolution(const Architecture& architecture) {
  return !architecture.torso.empty() && architecture.torso.front().kind == Kind::conv;
}

/// The shape of one observation as the first layer takes it.
Dims first_input(const Architecture& architecture, const std::optional<Cells>& cells) {
  if (cells) return {cells->depth(), cells->rows(), cells->columns()};
  const auto& shape = architecture.input_shape;
  if (image_stages_in(architecture) > 0) return shape;
  return {count_of(shape)};
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
                   .blocks = layer.blocks,
                   .activation = layer.activation,
                   .first = i == 0,
                   .type = type,
                   .output_type = i + 1 == outputs.size() ? Type::f32 : type};
    spec.weights.insert(spec.weights.end(), input.begin(), input.end());
    if (layer.kind == Kind::conv) {
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
  // oneDNN pads another depth, or takes a layout without blocks.
  if (layer.units % kLanes != 0 || cells.depth() % kLanes != 0 || !cells.writable()) return {};
  return cells;
}

Stages make_stages(Context& context, const Architecture& architecture, Precision precision) {
  const auto specs = layer_specs(architecture, precision);
  // Cells have a layout that oneDNN chooses, and a section chooses its own.
  const bool chosen = first_cells(architecture).has_value() || specs.front().blocks > 0;
  const auto first = chosen ? Tag::any : Tag::nhwc;
  Stages stages;
  stages.reserve(specs.size());
  for (const auto& spec : specs) {
    const bool flat = spec.input.size() == 1;
    const auto before = stages.empty() ? first : stages.back()->output_tag();
    if (spec.blocks > 0) {
      stages.push_back(std::make_unique<Section>(context, spec, before));
    } else {
      stages.push_back(std::make_unique<Layer>(context, spec, flat ? Tag::nc : before));
    }
  }
  return stages;
}

std::vector<std::size_t> slot_sizes(const Stages& stages) {
  std::vector<std::size_t> sizes;
  sizes.reserve(2 * stages.size());
  for (const auto& stage : stages) sizes.push_back(stage->input_bytes());
  for (const auto& stage : stages) sizes.push_back(stage->kept_bytes());
  return sizes;
}

std::size_t image_stages_in(const Architecture& architecture) {
  return static_cast<std::size_t>(
      std::ranges::count_if(architecture.torso, &tandem::Layer::over_images));
}

std::int64_t tile_of(const Stages& stages, std::size_t images) {
  std::size_t most = 1;
  for (std::size_t i = 0; i < images; ++i) {
    most = std::max(most, stages[i]->input_bytes() + stages[i]->output_bytes());
  }
  // A call of oneDNN has an overhead, which a larger tile spreads over more samples; a call of
  // CellConvolution has none.
  const std::size_t bytes = stages.front()->spec().type == Type::u8 ? 1 << 18 : 1 << 20;
  // A section takes the samples of a tile one by one, and once for each tile it writes gradients.
  const bool sections =
      std::ranges::any_of(stages, [](const auto& stage) { return stage->spec().blocks > 0; });
  const std::size_t least = sections ? 8 : 1;
  return static_cast<std::int64_t>(std::max(least, bytes / most));
}

}  // namespace tandem::onednn
