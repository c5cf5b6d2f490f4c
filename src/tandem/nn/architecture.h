// Networks as data: their layers, their parameters and the parameters' initial values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/env/env.h"

namespace tandem {

/// The type of activations, weights and their gradients inside a network. Parameters, heads and the
/// gradients that a network returns are fp32 in either case.
enum class Precision { fp32, bf16 };

/// The network, as config keys `net.*`. Value type.
struct NetConfig {
  static constexpr double kMeasured = -1;  // "auto": not yet measured

  std::string arch = "nips";       // nips, nature, large4 to large1, linear_conv, mlp, dpg or
                                   // layers
  std::string layers = {};         // layers as parse_layers() takes them, instead of arch's; empty:
                                   // arch's
  std::int64_t hidden = 64;        // mlp: units of each of its layers
  std::int64_t depth = 2;          // mlp: the number of layers
  std::int64_t lstm = 0;           // LSTM cells between torso and heads; 0: none
  bool separate = false;           // policy and value have a network each
  bool dueling = false;            // the last layer of the torso has a half for each head
  std::string init = "he";         // torch, he or ddpg
  double pixel_mean = 0;           // subtracted from pixels of 0 to 1, or kMeasured
  std::string precision = "fp32";  // fp32 or bf16

  /// The keys of the table [net]; they point into this object.
  FieldList fields();
};

/// The activation after a layer.
enum class Activation { none, relu, tanh };

/// One layer of the torso.
struct Layer {
  /// Convolution, or fully connected.
  enum class Kind { conv, dense };
  Kind kind = Kind::dense;                   // conv or dense
  std::int64_t units = 0;                    // filters or outputs
  std::int64_t kernel = 0;                   // conv only, square, no padding
  std::int64_t stride = 0;                   // conv only
  Activation activation = Activation::relu;  // the non-linearity behind it
};

/// One tensor among the parameters, which lie one after another in a flat buffer of floats.
struct ParameterInfo {
  std::string name;                 // "conv1.weight"
  std::vector<std::int64_t> shape;  // PyTorch's order: {out, in, kh, kw}, {out, in} or {out}
  std::int64_t offset = 0;          // of its first number in the buffer
  std::int64_t count = 0;           // its numbers, the product of the shape
  std::int64_t fan_in = 0;          // inputs of one unit of the layer
};

/// A torso shared by a policy head and a value head, as PAAC's section 5.1 and A3C's section 5.1
/// describe. The policy head has policy_outputs numbers, whose meaning the algorithm knows; the
/// value head, which may be missing, has one. Value type.
struct Architecture {
  std::string name;               // config.arch, or "layers"
  DType input_dtype = DType::u8;  // u8 inputs are divided by 255, then lessened by pixel_mean
  std::vector<std::int64_t> input_shape = {};  // of one observation
  std::vector<Layer> torso = {};               // from the observation on
  std::int64_t lstm = 0;                       // cells behind the torso; 0: none
  std::int64_t policy_outputs = 0;  // logits or values of discrete actions; of continuous ones a
                                    // number for each dimension and one more, or, where the policy
                                    // is deterministic, the action
  bool value_head = true;           // whether there is one
  bool separate = false;  // one torso and LSTM for the policy head, others for the value head
  bool dueling = false;  // the first half of the torso's last layer is the policy head's alone, the
                         // other the value head's: the two streams of Wang et al. 2016, Figure 1
  std::string init = "he";  // as NetConfig's
  float pixel_mean = 0;     // of u8 inputs divided by 255

  /// The lower bounds of a deterministic policy. Where they are not empty the policy is
  /// deterministic, a tanh between the bounds of each dimension, and the value's network, which is
  /// separate, a critic q(s, a): it takes in an action behind the observation and has a torso of
  /// its own. Ape-X, section 3.2.
  std::vector<float> action_low = {};
  /// The upper bounds, as many as action_low.
  std::vector<float> action_high = {};
  /// The critic's torso, behind observation and action.
  std::vector<Layer> critic_torso = {};

  /// The shape of each torso layer's output for one observation: {channels, height, width} or
  /// {units}.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> output_shapes() const;

  /// Outputs of all heads together.
  [[nodiscard]] std::int64_t outputs() const { return policy_outputs + (value_head ? 1 : 0); }

  /// Outputs of the last layer in front of the heads.
  [[nodiscard]] std::int64_t features() const;
  /// How many of these features each head takes in.
  [[nodiscard]] std::int64_t head_inputs() const { return dueling ? features() / 2 : features(); }

  /// Whether there is a deterministic policy with its critic.
  [[nodiscard]] bool deterministic() const { return !action_low.empty(); }

  /// Numbers of the recurrent state of one sample: each cell's output and memory.
  [[nodiscard]] std::int64_t state_size() const { return 2 * lstm * (separate ? 2 : 1); }

  /// Where they are separate, the policy's network as one with a policy head alone; of a
  /// deterministic policy, without what squashes the action.
  [[nodiscard]] Architecture policy_part() const;
  /// The value's network, likewise; a critic has observation and action as one input.
  [[nodiscard]] Architecture value_part() const;

  /// All tensors in the order of the flat buffer: the torso's layers, then the LSTM's, then policy,
  /// then value. An LSTM has weight_ih, bias and weight_hh, gates in PyTorch's order; PyTorch's
  /// second bias would only add to the first. Separate networks follow each other, with the
  /// prefixes actor. and critic. to all names except those of the heads.
  [[nodiscard]] std::vector<ParameterInfo> parameters() const;
  /// The numbers of all tensors together.
  [[nodiscard]] std::int64_t parameter_count() const;
};

/// The name of a network that config.layers describes, in place of one that config.arch gives.
inline constexpr auto kGivenLayers = "layers";

/// The architecture that `config` names or describes for the observations and actions of `spec`.
/// Algorithms without a value function of states need no value head. Throws Error when they do not
/// fit (a convolution over a vector).
Architecture make_architecture(const NetConfig& config, const EnvSpec& spec,
                               bool value_head = true);

/// The value of config.precision.
Precision precision_of(const NetConfig& config);

/// Fills the flat buffer. "torch": every weight and bias is uniform in +-1/sqrt(fan_in), as in
/// PAAC's reference code ("torch" initialisation) and in the A3C authors' Torch; for an LSTM the
/// bound is 1/sqrt(cells), as in PyTorch. "he": biases are zero, and weights are uniform with the
/// variance that keeps the size of the signal through the ReLUs, 2 / fan_in (He et al. 2015,
/// equation 10). The value head's variance is 1 / fan_in, and the policy head has a hundredth of
/// that deviation, so that it starts out indifferent. An LSTM's weights have 1 / fan_in, and its
/// forget gates' bias is 1, so that it remembers at first (Jozefowicz et al. 2015, section 2.2).
/// "ddpg": as "torch", but the heads' weights and biases are in +-0.003, so that the first actions
/// and values are near zero (Lillicrap et al. 2016, section 7).
void initialise(const Architecture& architecture, Stream& stream, std::span<float> parameters);

}  // namespace tandem
