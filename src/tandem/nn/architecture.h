// Networks as data: their layers, their parameters and the parameters' initial values.
#pragma once

#include <cstddef>
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
  static constexpr double kMeasured = -1;        // "auto": the mean, not yet measured
  static constexpr double kMeasuredMedian = -2;  // "median": likewise

  /// nips, nature, large4 to large1, impala, football, linear_conv, mlp, dpg or layers.
  std::string arch = "nips";
  std::string layers = {};            // a text for parse_layers(), in place of arch; empty: arch
  std::int64_t hidden = 64;           // mlp: units of each of its layers
  std::int64_t depth = 2;             // mlp: the number of layers
  std::int64_t lstm = 0;              // LSTM cells between torso and heads; 0: none
  bool separate = false;              // policy and value have a network each
  bool dueling = false;               // the last layer of the torso has a half for each head
  double dueling_gradient_scale = 1;  // of the gradient that both halves send to the layer below
  std::string init = "he";            // torch, he or ddpg
  double pixel_mean = 0;              // subtracted from pixels in [0, 1], or to be measured
  std::string precision = "fp32";     // fp32 or bf16

  /// Whether the pixels' mean or median is still to be measured.
  [[nodiscard]] bool lacks_pixel_mean() const { return pixel_mean < 0; }

  /// The keys of the table [net]; they point into this object.
  FieldList fields();
};

/// The activation after a layer.
enum class Activation { none, relu, tanh };

/// One layer of the torso, or a section of several. A section of a residual network has a
/// convolution of 3x3, a maximum over 3x3 with stride 2, and residual blocks: a block adds to its
/// input the result of a ReLU, a convolution, another ReLU and another convolution, both of 3x3.
/// All of a section pads its inputs so that an output's place is in the middle of its 3x3 places:
/// TensorFlow's SAME padding (Espeholt et al. 2018, Figure 3).
struct Layer {
  /// Convolution, fully connected, or residual section.
  enum class Kind { conv, dense, section };
  Kind kind = Kind::dense;                   // conv, dense or section
  std::int64_t units = 0;                    // filters or outputs
  std::int64_t kernel = 0;                   // conv only, square, no padding
  std::int64_t stride = 0;                   // conv only
  Activation activation = Activation::relu;  // after the layer
  std::int64_t blocks = 0;                   // section only

  /// Whether it takes images.
  [[nodiscard]] bool over_images() const { return kind != Kind::dense; }
  /// The number of its tensors among the parameters: a weight and a bias for each convolution.
  [[nodiscard]] std::size_t tensors() const {
    return kind == Kind::section ? static_cast<std::size_t>(2 + 4 * blocks) : 2;
  }
};

/// One tensor among the parameters, which lie one after another in a flat buffer of floats.
struct ParameterInfo {
  std::string name;                 // "conv1.weight"
  std::vector<std::int64_t> shape;  // PyTorch's order: {out, in, kh, kw}, {out, in} or {out}
  std::int64_t offset = 0;          // index of its first number in the buffer
  std::int64_t count = 0;           // how many numbers it has: the product of the shape
  std::int64_t fan_in = 0;          // inputs of one unit of the layer
};

/// A network: a torso that a policy head and a value head share, as PAAC's section 5.1 and A3C's
/// section 5.1 describe, unless the two are separate. The policy head has policy_outputs outputs,
/// whose meaning depends on the algorithm. The value head is optional and has one output. Value
/// type.
struct Architecture {
  std::string name;                            // config.arch, or "layers"
  DType input_dtype = DType::u8;               // u8: divided by 255, then pixel_mean is subtracted
  std::vector<std::int64_t> input_shape = {};  // of one observation
  std::vector<Layer> torso = {};               // in order, from the observation on
  std::int64_t lstm = 0;                       // cells after the torso; 0: none
  std::int64_t policy_outputs = 0;  // discrete actions: logits or values; continuous actions: the
                                    // mean of each dimension and one output for the variance, or
                                    // the action itself if the policy is deterministic
  bool value_head = true;           // whether there is a value head
  bool separate = false;  // one torso and LSTM for the policy head, others for the value head
  bool dueling = false;   // the policy head reads the first half of the torso's last layer, the
                          // value head the other: the two streams of Wang et al. 2016, Figure 1
  /// Multiplies the gradient with respect to the input of the torso's last layer, where the
  /// gradients of both streams meet; 1 without dueling. Wang et al. 2016, section 4.2: 1/sqrt(2)
  /// for "the combined gradient entering the last convolutional layer".
  float dueling_gradient_scale = 1;
  std::string init = "he";  // as in NetConfig
  float pixel_mean = 0;     // of u8 inputs after their division by 255

  /// The lower bounds of a deterministic policy's actions; empty for all other networks. Such a
  /// policy scales a tanh to the bounds of each dimension. The value's network is then separate. It
  /// is a critic q(s, a) with a torso of its own, and takes the action after the observation.
  /// Ape-X, section 3.2.
  std::vector<float> action_low = {};
  /// The upper bounds, as many as action_low.
  std::vector<float> action_high = {};
  /// The critic's torso; its input is the observation followed by the action.
  std::vector<Layer> critic_torso = {};

  /// Whether the parameters include running statistics of the observations, by which the network
  /// shifts and scales each number before its first layer (see input_statistics.h). Training
  /// updates them from the observations and not by a gradient.
  bool normalises_inputs = false;

  /// The shape of each torso layer's output for one observation: {channels, height, width} or
  /// {units}.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> output_shapes() const;

  /// The number of outputs of all heads together.
  [[nodiscard]] std::int64_t outputs() const { return policy_outputs + (value_head ? 1 : 0); }

  /// The number of outputs of the last layer in front of the heads.
  [[nodiscard]] std::int64_t features() const;
  /// The number of these features that each head takes as its input.
  [[nodiscard]] std::int64_t head_inputs() const { return dueling ? features() / 2 : features(); }

  /// Whether the network is a deterministic policy with its critic.
  [[nodiscard]] bool deterministic() const { return !action_low.empty(); }

  /// The number of floats in one sample's recurrent state: each cell has an output and a memory.
  [[nodiscard]] std::int64_t state_size() const { return 2 * lstm * (separate ? 2 : 1); }

  /// The policy's network of a separate architecture, as an architecture with a policy head alone.
  /// A deterministic policy's part ends before the tanh.
  [[nodiscard]] Architecture policy_part() const;
  /// The value's network of a separate architecture, in the same way: its policy head has the value
  /// as its only output. A critic's input is the observation followed by the action.
  [[nodiscard]] Architecture value_part() const;

  /// All tensors in the order of the flat buffer: the torso's layers, then the LSTM's, then policy,
  /// then value. An LSTM has weight_ih, bias and weight_hh, with the gates in PyTorch's order; it
  /// lacks PyTorch's second bias, which would only add to the first. The tensors of separate
  /// networks follow each other, the policy's first; all names except those of the heads then begin
  /// with actor. or critic. The statistics of the inputs come last, and separate networks share
  /// them.
  [[nodiscard]] std::vector<ParameterInfo> parameters() const;
  /// The total number of parameters.
  [[nodiscard]] std::int64_t parameter_count() const;
  /// The number of parameters that a gradient trains: all but the statistics of the inputs.
  [[nodiscard]] std::int64_t trained_count() const {
    return without_statistics().parameter_count();
  }
  /// The same network over inputs that are normalised already.
  [[nodiscard]] Architecture without_statistics() const;
};

/// The name of a network that NetConfig::layers describes; any other network's name is
/// NetConfig::arch.
inline constexpr auto kGivenLayers = "layers";

/// The architecture that `config` names or describes for the observations and actions of `spec`.
/// Algorithms without a value function of states need no value head. With `normalises_inputs` the
/// parameters include the inputs' statistics. Throws Error when the network does not fit (for
/// example, a convolution over a vector), and std::logic_error when config.pixel_mean is
/// still to be measured and for statistics of inputs that are no fp32 numbers.
Architecture make_architecture(const NetConfig& config, const EnvSpec& spec, bool value_head = true,
                               bool normalises_inputs = false);

/// The networks of the papers to compare for such observations, without and with an LSTM: the
/// fields arch and lstm, the others as they are initially. Pure, thread-safe.
std::vector<NetConfig> networks_to_compare(DType observations);

/// config.precision as a Precision.
Precision precision_of(const NetConfig& config);

/// Fills the flat buffer. "torch": every weight and bias is uniform in +-1/sqrt(fan_in), as in
/// PAAC's reference code ("torch" initialisation) and in the A3C authors' Torch; for an LSTM the
/// bound is 1/sqrt(cells), as in PyTorch. "he": biases are zero, and weights are uniform with the
/// variance that keeps the size of the signal through the ReLUs, 2 / fan_in (He et al. 2015,
/// equation 10). The value head's weights have variance 1 / fan_in. The policy head's have a
/// hundredth of that standard deviation, so that at first the policy hardly prefers any action. A
/// section's first convolution follows no ReLU, so its weights have variance 1 / fan_in, and the
/// last weights of each residual block have variance 2 / fan_in / blocks, so that all blocks of a
/// network together multiply the signal's variance by e at most. An
/// LSTM's weights have variance 1 / fan_in, and the bias of its forget gates is 1, so that it
/// remembers at first (Jozefowicz et al. 2015, section 2.2). "ddpg": as "torch", but the heads'
/// weights and biases are in +-0.003, so that the first actions and values are near zero (Lillicrap
/// et al. 2016, section 7). Statistics of inputs start as those of no observation.
void initialise(const Architecture& architecture, Stream& stream, std::span<float> parameters);

}  // namespace tandem
