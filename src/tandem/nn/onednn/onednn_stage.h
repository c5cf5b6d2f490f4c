// A network's layers and residual sections, as the network calls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tandem/nn/architecture.h"
#include "tandem/nn/onednn/onednn_call.h"

namespace tandem::onednn {

/// A convolution without padding, a residual section (tandem::Layer) if it has blocks, or else a
/// dense layer if the stride is 0.
struct LayerSpec {
  Dims input;    // of one sample: {channels, height, width} or {units}
  Dims output;   // of one sample, in the same form
  Dims weights;  // PyTorch's order: {outputs, channels, kernel, kernel} or, for a dense layer,
                 // the outputs followed by the dimensions of `input`; not for a section
  std::int64_t stride = 0;
  std::int64_t blocks = 0;  // of a section
  Activation activation = Activation::none;
  bool first = false;  // no caller wants the gradient of its input
  // The type of the input, the weights and the gradients before the activation. u8: the input of
  // the first layer is bytes, and CellConvolution computes the layer with its ReLU; all else is
  // f32.
  Type type = Type::f32;
  Type output_type = Type::f32;  // of the output
};

/// Some samples' inputs of a stage, one after another.
struct Samples {
  std::int64_t batch = 0;
  const std::byte* input = nullptr;
  std::byte* kept = nullptr;  // activations besides the input that forward() keeps for backward()
};

/// A layer, or a section of several. Whole samples lie one after another, so that batches can be
/// split and joined. Not thread-safe. oneDNN's exceptions (dnnl::error) pass through.
class Stage {
 public:
  Stage() = default;
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  [[nodiscard]] virtual const LayerSpec& spec() const = 0;
  /// The layouts of its input and its output.
  [[nodiscard]] virtual Tag input_tag() const = 0;
  [[nodiscard]] virtual Tag output_tag() const = 0;
  /// Bytes of one sample: of its input, of its output, and of Samples::kept.
  [[nodiscard]] virtual std::size_t input_bytes() const = 0;
  [[nodiscard]] virtual std::size_t output_bytes() const = 0;
  [[nodiscard]] virtual std::size_t kept_bytes() const { return 0; }
  /// The number of its parameters.
  [[nodiscard]] virtual std::size_t parameter_count() const = 0;

  /// Takes new parameters, tensor by tensor in PyTorch's order. They must stay in place until the
  /// next load().
  virtual void load(const float* parameters) = 0;

  /// Computes the output behind the activation.
  virtual void forward(const Samples& samples, std::byte* output) = 0;

  /// Makes the forward pass of each sample by itself, so its bits do not depend on the other
  /// samples. Only for stages that keep nothing besides their input.
  virtual void forward_alone(std::span<const std::byte* const> inputs,
                             std::span<std::byte* const> outputs) = 0;

  /// Writes the gradients of the parameters, laid out as in load(), and, unless the stage is the
  /// first, the gradient of the input, in the input's layout and type. `d_linear` is the gradient
  /// before the activation, in the output's layout and spec().type.
  virtual void backward(const Samples& samples, const std::byte* d_linear, std::byte* d_input,
                        float* d_parameters) = 0;
};

}  // namespace tandem::onednn
