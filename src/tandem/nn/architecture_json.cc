#include "tandem/nn/architecture_json.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

std::string word(Activation activation) {
  if (activation == Activation::relu) return "relu";
  return activation == Activation::tanh ? "tanh" : "none";
}

std::string word(Layer::Kind kind) {
  if (kind == Layer::Kind::conv) return "conv";
  return kind == Layer::Kind::dense ? "dense" : "section";
}

/// Hands out the names of layers in the order of their tensors.
class LayerNames {
 public:
  explicit LayerNames(const Architecture& architecture) : infos_(architecture.parameters()) {}

  /// The name of the next layer, which has so many tensors; the first is called NAME and `first`.
  std::string next(std::size_t tensors, const std::string& first) {
    const auto& name = infos_.at(next_).name;
    next_ += tensors;
    return name.substr(0, name.size() - first.size());
  }

 private:
  std::vector<ParameterInfo> infos_;
  std::size_t next_ = 0;
};

Json layer_json(const Layer& layer, LayerNames& names) {
  const bool section = layer.kind == Layer::Kind::section;
  Json json = {{"name", names.next(layer.tensors(), section ? ".conv.weight" : ".weight")},
               {"kind", word(layer.kind)},
               {"activation", word(layer.activation)}};
  if (layer.kind == Layer::Kind::conv) json["stride"] = layer.stride;
  if (section) json["blocks"] = layer.blocks;
  return json;
}

/// A network that is not separate; its layers are the next ones of `names`.
Json network_json(const Architecture& part, LayerNames& names) {
  Json torso = Json::array();
  for (const auto& layer : part.torso) torso.push_back(layer_json(layer, names));
  Json lstm = nullptr;
  if (part.lstm > 0) lstm = {{"name", names.next(3, ".weight_ih")}, {"cells", part.lstm}};
  Json heads = Json::array();
  for (int head = 0; head < (part.value_head ? 2 : 1); ++head) {
    const auto first = part.dueling ? head * part.head_inputs() : 0;
    heads.push_back(
        {{"name", names.next(2, ".weight")}, {"features", {first, first + part.head_inputs()}}});
  }
  return {{"torso", torso}, {"lstm", lstm}, {"heads", heads}};
}

Json input_steps(const Architecture& architecture) {
  Json steps = Json::array();
  if (architecture.input_dtype == DType::u8) {
    constexpr int kWhite = 255;
    steps.push_back({{"kind", "divide"}, {"by", kWhite}});
  }
  if (architecture.pixel_mean != 0) {
    steps.push_back({{"kind", "subtract"}, {"number", architecture.pixel_mean}});
  }
  return steps;
}

}  // namespace

Json to_json(const Architecture& architecture) {
  LayerNames names(architecture);
  Json networks = Json::array();
  if (architecture.separate) {
    networks.push_back(network_json(architecture.policy_part(), names));
    networks.push_back(network_json(architecture.value_part(), names));
  } else {
    networks.push_back(network_json(architecture, names));
  }
  Json bounds = nullptr;
  if (architecture.deterministic()) {
    bounds = {{"low", architecture.action_low}, {"high", architecture.action_high}};
  }
  return {{"input",
           {{"dtype", architecture.input_dtype == DType::u8 ? "uint8" : "float32"},
            {"shape", architecture.input_shape}}},
          {"input_steps", input_steps(architecture)},
          {"networks", networks},
          {"state_size", architecture.state_size()},
          {"bounds", bounds}};
}

}  // namespace tandem
