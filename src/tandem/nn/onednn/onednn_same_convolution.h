// The 3x3 convolutions of residual sections on oneDNN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/padded_convolution.h"
#include "tandem/nn/kernels/sliced_same_convolution.h"
#include "tandem/nn/kernels/sliced_same_gradient.h"
#include "tandem/nn/onednn/onednn_call.h"

namespace tandem::onednn {

/// A 3x3 convolution with stride 1 that has as many outputs as its image has places, because it
/// pads the image with zeros.
struct SameSpec {
  Dims input;                // of one sample: {channels, height, width}
  std::int64_t filters = 0;  // output channels
  Tag input_tag = Tag::any;
  Tag output_tag = Tag::any;
  Type type = Type::f32;         // of the input, the weights and all gradients of activations
  Type output_type = Type::f32;  // of the output
  bool adds = false;             // whether the result is added to the numbers in the output
  Activation activation = Activation::none;  // after that
  bool first = false;                        // no caller wants the gradient of its input
};

/// The layout that oneDNN prefers for the image and the output.
Tag preferred_tag(const Context& context, SameSpec spec);

/// Such a convolution with its parameters. It takes one sample at a time, so the bits of a sample's
/// results do not depend on its batch. Primitives are made when they first run. Not thread-safe.
/// oneDNN's exceptions (dnnl::error) pass through.
class SameConvolution {
 public:
  /// The context must outlive it.
  SameConvolution(Context& context, SameSpec spec);

  [[nodiscard]] std::size_t parameter_count() const;

  /// Takes new weights and a new bias behind them, in PyTorch's order. They must stay in place
  /// until the next load().
  void load(const float* parameters);

  void forward(const std::byte* input, std::byte* output);

  /// Adds one sample's gradients of the parameters to those of the samples since clear(). Writes
  /// the gradient of the input to `d_input`, unless the convolution is the first. `d_output` has
  /// the output's layout and spec.type, and is the gradient before the activation.
  void backward(const std::byte* input, const std::byte* d_output, std::byte* d_input);

  /// Begins a new sum of gradients.
  void clear();

  /// Writes the sum of gradients, laid out as in load().
  void write_gradients(float* d_parameters);

 private:
  [[nodiscard]] Desc input_desc() const;
  [[nodiscard]] Desc output_desc(Type type) const;
  [[nodiscard]] Desc weights_desc(Type type) const;
  void make_forward();
  void make_backward();

  struct Packed {
    dnnl::memory weights;
    Call pack;  // from plain_
    bool loaded = false;
  };
  void make_packed(Packed& packed, const Desc& desc);
  static void refresh(Packed& packed);
  void forward_few(const std::byte* input, std::byte* output);
  void back_with_slices(const float* d_output, float* d_input);

  Context& context_;
  SameSpec spec_;
  std::optional<PaddedConvolution> few_;  // computes everything if there are few channels
  std::vector<float> few_in_, few_out_;   // its numbers, if they are bfloat16
  // Where AMX computes: the forward pass, and the gradients of the input and of the parameters.
  std::optional<SlicedSameConvolution> ahead_;
  std::optional<SlicedSameConvolution> back_;
  std::optional<SlicedSameGradient> gradient_;
  bool back_loaded_ = false;
  dnnl::memory plain_;  // the weights of load()
  dnnl::memory bias_;   // a copy: with SSE, adding to the output takes an aligned bias alone
  dnnl::memory input_, output_, d_output_, d_input_, d_weights_, d_bias_, sums_, d_plain_;
  Packed forward_weights_, backward_weights_;
  Call forward_, to_input_, to_weights_, unpack_;
  bool has_forward_ = false, has_backward_ = false;
  std::int64_t samples_ = 0;             // since clear()
  std::vector<float> bias_sums_;         // the gradient of the bias, summed
  std::vector<float> sample_bias_;       // that of one sample
  Buffer sample_weights_, weight_sums_;  // the same of the weights, in oneDNN's layout
};

}  // namespace tandem::onednn
