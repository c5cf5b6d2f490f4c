#include "tandem/nn/architecture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tandem/base/error.h"
#include "tandem/nn/input_statistics.h"
#include "tandem/nn/layer_list.h"

namespace tandem {
namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t product(const Shape& shape) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return count;
}

std::string text(const Shape& shape) {
  std::string result;
  for (const auto size : shape) {
    if (!result.empty()) result += 'x';
    result += std::to_string(size);
  }
  return result;
}

/// The shape of a layer's output for one sample. Throws Error when the layer does not fit its
/// input.
Shape output_shape(const Architecture& architecture, const Layer& layer, const Shape& input) {
  if (layer.kind == Layer::Kind::dense) return {layer.units};
  const bool given = architecture.name == kGivenLayers;
  if (input.size() != 3) {
    throw Error(fmt::format(
        "{}: '{}' begins with a convolution and needs images, but the observation is {}; use {}",
        given ? "net.layers" : "net.arch", architecture.name, text(architecture.input_shape),
        given ? "dense layers alone" : "net.arch = \"mlp\""));
  }
  if (layer.kind == Layer::Kind::section) {
    return {layer.units, (input[1] + 1) / 2, (input[2] + 1) / 2};
  }
  if (input[1] < layer.kernel || input[2] < layer.kernel) {
    throw Error(fmt::format(
        "{}: the observation {} is too small for '{}': a {}x{} convolution meets an image of "
        "{}x{}; use larger frames or {}",
        given ? "net.layers" : "net.arch", text(architecture.input_shape), architecture.name,
        layer.kernel, layer.kernel, input[1], input[2],
        given ? "smaller kernels and strides" : "net.arch = \"mlp\""));
  }
  return {layer.units, (input[1] - layer.kernel) / layer.stride + 1,
          (input[2] - layer.kernel) / layer.stride + 1};
}

Layer conv(std::int64_t units, std::int64_t kernel, std::int64_t stride) {
  return {Layer::Kind::conv, units, kernel, stride};
}

Layer dense(std::int64_t units) { return {Layer::Kind::dense, units}; }

Layer section(std::int64_t units, Activation activation = Activation::none) {
  return {.kind = Layer::Kind::section, .units = units, .activation = activation, .blocks = 2};
}

Layer with(Activation activation, Layer layer) {
  layer.activation = activation;
  return layer;
}

constexpr std::array kNetworks = {"nips",        "nature", "large4", "large3",
                                  "large2",      "large1", "impala", "football",
                                  "linear_conv", "mlp",    "dpg",    kGivenLayers};

/// The name "layers" if net.layers describes the network, otherwise net.arch.
std::string name_of(const NetConfig& config) {
  return config.layers.empty() ? config.arch : kGivenLayers;
}

std::vector<Layer> torso(const NetConfig& config) {
  if (!config.layers.empty()) return parse_layers(config.layers);
  if (std::ranges::find(kNetworks, config.arch) == kNetworks.end()) {
    throw Error(fmt::format("net.arch: unknown network '{}'; use one of {}", config.arch,
                            fmt::join(kNetworks, ", ")));
  }
  if (config.arch == kGivenLayers) {
    throw Error(
        "net.arch: 'layers' is the network that net.layers describes, which is empty; write, for "
        "instance, net.layers = \"dense 64, dense 64\"");
  }
  // Mnih et al., 2013: the network of the NIPS deep learning workshop paper.
  if (config.arch == "nips") return {conv(16, 8, 4), conv(32, 4, 2), dense(256)};
  // Mnih et al., 2015: the network of the Nature paper.
  if (config.arch == "nature") return {conv(32, 8, 4), conv(64, 4, 2), conv(64, 3, 1), dense(512)};
  // GA3C, section 5.1 and its footnote 2, "large, stride 4" to 1: the name ends with the stride of
  // the first layer. The paper does not mention padding, so there is none; its code pads ("SAME").
  // That the last "also has 4x larger fully-connected layer" is then true of its weights: here 4.5
  // times those of stride 2, and with padding 3.6 times.
  if (config.arch.starts_with("large")) {
    return {conv(32, 8, config.arch.back() - '0'), conv(32, 4, 2), conv(64, 4, 2), dense(256)};
  }
  // Espeholt et al. 2018, Figure 3: the large architecture, whose LSTM is net.lstm.
  if (config.arch == "impala") {
    return {section(16), section(32), section(32, Activation::relu), dense(256)};
  }
  // Kurach et al. 2019, appendix: impala's network with a section more.
  if (config.arch == "football") {
    return {section(16), section(32), section(32), section(32, Activation::relu), dense(256)};
  }
  // A3C, section 5.2.3: "two layers of spatial convolutions without any non-linearity or pooling".
  // The paper does not give their sizes; these sizes are those of nips.
  if (config.arch == "linear_conv") {
    return {with(Activation::none, conv(16, 8, 4)), with(Activation::none, conv(32, 4, 2))};
  }
  // The actor of Ape-X, appendix D. The paper does not name the activation after the second layer;
  // here it is a ReLU, as in DDPG (Lillicrap et al. 2016, section 7).
  if (config.arch == "dpg") return {with(Activation::tanh, dense(300)), dense(200)};
  std::vector<Layer> layers(static_cast<std::size_t>(config.depth), dense(config.hidden));
  return layers;
}

/// A range at least this wide means that the action has no bounds; MuJoCo's bounds are then +-1e10.
constexpr float kWidestRange = 1e6F;

/// Turns the network of a policy into a deterministic policy and its critic (Ape-X, section 3.2 and
/// appendix D). The ReLU after the critic's second layer is DDPG's, as above. Throws Error when
/// such a network does not fit the environment or the other settings.
void add_critic_of_actions(Architecture& architecture, const EnvSpec& spec) {
  if (spec.discrete() || spec.dtype != DType::f32) {
    throw Error(
        "net.arch: 'dpg' makes continuous actions of observations that are numbers, but this "
        "environment has discrete actions or shows pixels; use another, or algo = dqn and a "
        "network "
        "for it");
  }
  if (!architecture.value_head || architecture.dueling || architecture.lstm > 0) {
    throw Error(
        "net.arch: 'dpg' is a policy and its critic, for algo = dpg, net.dueling = false and "
        "net.lstm = 0");
  }
  for (std::size_t i = 0; i < spec.action_low.size(); ++i) {
    const float range = spec.action_high[i] - spec.action_low[i];
    if (range > 0 && range < kWidestRange) continue;
    throw Error(
        fmt::format("net.arch: 'dpg' squashes actions to their bounds, but those of dimension {} "
                    "are {} and {}; use an environment with bounds",
                    i, spec.action_low[i], spec.action_high[i]));
  }
  architecture.separate = true;
  architecture.policy_outputs = spec.action_dims();
  architecture.action_low = spec.action_low;
  architecture.action_high = spec.action_high;
  architecture.critic_torso = {with(Activation::tanh, dense(400)), dense(300)};
}

}  // namespace

FieldList NetConfig::fields() {
  return {
      {.key = "arch",
       .target = &arch,
       .meaning = "network in front of the heads; large4 to large1: ever more places of the first "
                  "convolution; impala and football: deep residual networks of 15 and 20 "
                  "convolutions; linear_conv: two convolutions without ReLUs; dpg: a deterministic "
                  "policy and its critic, for algo = dpg; layers: as net.layers says",
       .source = "PAAC, section 5.1; large: GA3C, section 5.1; impala: Espeholt et al. 2018, "
                 "Figure 3; football: Kurach et al. 2019, appendix; linear_conv: A3C, section "
                 "5.2.3; dpg: Ape-X, appendix D",
       .choices = {kNetworks.begin(), kNetworks.end()}},
      {.key = "layers",
       .target = &layers,
       .meaning =
           "network in front of the heads, layer by layer, instead of a named one: conv UNITS "
           "KERNEL STRIDE, section UNITS BLOCKS (a convolution, a pool and residual blocks) or "
           "dense UNITS, with relu (the default), tanh or none (a section's default in front of a "
           "section) behind it, as in \"conv 32 8 4, conv 64 4 2 tanh, dense 512\" or \"section 16 "
           "2, section 32 2, dense 256\"; empty: that of net.arch"},
      {.key = "hidden",
       .target = &hidden,
       .meaning = "mlp: units of each of its layers",
       .least = 1,
       .most = 1 << 16},
      {.key = "depth", .target = &depth, .meaning = "mlp: layers", .least = 1, .most = 16},
      {.key = "lstm",
       .target = &lstm,
       .meaning = "LSTM cells between the torso and the heads, whose state lasts as long as an "
                  "episode; 0: none",
       .source = "A3C, section 5.2.1, has 256",
       .least = 0,
       .most = 1 << 14},
      {.key = "separate",
       .target = &separate,
       .meaning = "policy and value share nothing: each has a torso, and LSTM cells, of its own",
       .source = "A3C, section 5.2.3"},
      {.key = "dueling",
       .target = &dueling,
       .meaning = "the last layer before the heads has two parts: one for the advantages, one "
                  "for the state's value",
       .source = "Ape-X, section 3.1; Wang et al. 2016, Figure 1"},
      {.key = "dueling_gradient_scale",
       .target = &dueling_gradient_scale,
       .meaning = "dueling: multiplies the gradient that the two parts together send to the layers "
                  "below them; 1: as it is",
       .source = "Wang et al. 2016, section 4.2, has 0.7071, 1/sqrt(2)",
       .least = 0,
       .most = 1},
      {.key = "init",
       .target = &init,
       .meaning = "how parameters start: torch, uniform in +-1/sqrt(inputs of a unit); he, larger, "
                  "with an indifferent policy; ddpg, as torch, but for the heads in +-0.003",
       .source = "He et al. 2015, equation 10; ddpg: Lillicrap et al. 2016, section 7",
       .choices = {"torch", "he", "ddpg"}},
      {.key = "pixel_mean",
       .target = &pixel_mean,
       .meaning =
           "subtracted from pixels of 0 to 1: without it the background's grey acts on "
           "each unit like a bias that learns hundreds of times as fast; auto and median: the "
           "mean and the median of all pixels of random play, measured when a run begins. "
           "The median is the background where that has one grey, so only things remain. "
           "Both are 0 if observations are not pixels",
       .source = "not in the papers; LeCun et al. 1998, Efficient BackProp, section 4.3",
       .least = 0,
       .most = 1,
       .words = {{"auto", kMeasured}, {"median", kMeasuredMedian}}},
      {.key = "precision",
       .target = &precision,
       .meaning = "numbers that the network computes with: fp32; bf16, where the CPU has "
                  "instructions for it. Parameters and optimizer are fp32 in either case",
       .source = "Kalamkar et al. 2019, A Study of BFLOAT16 for Deep Learning Training",
       .choices = {"fp32", "bf16"}},
  };
}

std::vector<Shape> Architecture::output_shapes() const {
  std::vector<Shape> shapes;
  shapes.reserve(torso.size());
  for (const auto& layer : torso) {
    shapes.push_back(output_shape(*this, layer, shapes.empty() ? input_shape : shapes.back()));
  }
  return shapes;
}

Architecture Architecture::policy_part() const {
  Architecture part = *this;
  part.separate = false;
  part.value_head = false;
  part.action_low = {};
  part.action_high = {};
  part.critic_torso = {};
  part.normalises_inputs = false;
  return part;
}

Architecture Architecture::value_part() const {
  Architecture part = policy_part();
  part.policy_outputs = 1;
  if (deterministic()) {
    part.torso = critic_torso;
    part.input_shape = {product(input_shape) + policy_outputs};
  }
  return part;
}

std::int64_t Architecture::features() const {
  if (lstm > 0) return lstm;
  return product(torso.empty() ? input_shape : output_shapes().back());
}

Architecture Architecture::without_statistics() const {
  Architecture inner = *this;
  inner.normalises_inputs = false;
  return inner;
}

Architecture make_architecture(const NetConfig& config, const EnvSpec& spec, bool value_head,
                               bool normalises_inputs) {
  Architecture result{.name = name_of(config),
                      .input_dtype = spec.dtype,
                      .input_shape = spec.observation_shape(),
                      .torso = torso(config),
                      .lstm = config.lstm,
                      .policy_outputs = spec.discrete() ? spec.num_actions : spec.action_dims() + 1,
                      .value_head = value_head,
                      .separate = config.separate,
                      .dueling = config.dueling,
                      .dueling_gradient_scale =
                          config.dueling ? static_cast<float>(config.dueling_gradient_scale) : 1,
                      .init = config.init,
                      .pixel_mean = static_cast<float>(config.pixel_mean),
                      .normalises_inputs = normalises_inputs};
  if (config.lacks_pixel_mean()) {
    throw std::logic_error("net.pixel_mean is still to be measured");
  }
  if (normalises_inputs && spec.dtype != DType::f32) throw std::logic_error("statistics of bytes");
  if (result.name == "dpg") add_critic_of_actions(result, spec);
  if (config.pixel_mean != 0 && spec.dtype != DType::u8) {
    throw Error("net.pixel_mean: this environment's observations are no pixels; leave it out");
  }
  if (config.separate && !value_head) {
    throw Error("net.separate: this algorithm learns no value beside its policy; leave it out");
  }
  if (config.dueling) {
    const bool dense = !result.torso.empty() && result.torso.back().kind == Layer::Kind::dense;
    if (!dense || !value_head || config.separate || config.lstm > 0) {
      throw Error(
          "net.dueling: two streams need a network that ends with a dense layer, without an LSTM, "
          "not separate, and an algorithm with a value head");
    }
    result.torso.back().units *= 2;
  }
  (void)result.output_shapes();  // throws when a layer does not fit
  return result;
}

std::vector<NetConfig> networks_to_compare(DType observations) {
  constexpr std::int64_t kCells = 256;  // A3C, section 5.2.1
  if (observations == DType::f32) return {{.arch = "mlp"}, {.arch = "mlp", .lstm = kCells}};
  return {
      {.arch = "nips"}, {.arch = "nature"}, {.arch = "impala"}, {.arch = "nips", .lstm = kCells}};
}

Precision precision_of(const NetConfig& config) {
  return config.precision == "bf16" ? Precision::bf16 : Precision::fp32;
}

}  // namespace tandem
