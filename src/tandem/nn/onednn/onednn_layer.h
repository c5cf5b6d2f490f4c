// One layer on oneDNN: forward, and backward to its input and its parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/kernels/cell_convolution.h"
#include "tandem/nn/kernels/sliced_convolution.h"
#include "tandem/nn/kernels/sliced_dense.h"
#include "tandem/nn/onednn/onednn_call.h"

namespace tandem::onednn {

/// A convolution without padding or, if the stride is 0, a dense layer.
struct LayerSpec {
  Dims input;    // of one sample: {channels, height, width} or {units}
  Dims output;   // of one sample, in the same form
  Dims weights;  // PyTorch's order: {outputs, channels, kernel, kernel} or, for a dense layer,
                 // the outputs followed by the dimensions of `input`
  std::int64_t stride = 0;
  Activation activation = Activation::none;
  bool first = false;  // no caller wants the gradient of its input
  // The type of the input, the weights and the gradients before the activation. u8: the input of
  // the first layer is bytes, and CellConvolution computes the layer with its ReLU; all else is
  // f32.
  Type type = Type::f32;
  Type output_type = Type::f32;  // of the output
};

/// The shape of a first layer over cells.
CellShape cell_shape(const LayerSpec& spec);

/// A layer with its parameters in the layouts that oneDNN chooses. Activations have the layout that
/// it chose for a batch of usual size. Whole samples lie one after another, so that batches can be
/// split and joined. Primitives are made when a batch size first occurs. Not thread-safe. oneDNN's
/// exceptions (dnnl::error) pass through.
class Layer {
 public:
  /// `input_tag`: the layout of the layer's input, or Tag::any if oneDNN may choose it. The context
  /// must outlive the layer.
  Layer(Context& context, LayerSpec spec, Tag input_tag);

  [[nodiscard]] const LayerSpec& spec() const { return spec_; }
  [[nodiscard]] Tag input_tag() const { return input_tag_; }
  [[nodiscard]] Tag output_tag() const { return output_tag_; }
  [[nodiscard]] std::size_t input_bytes() const { return input_desc(1).get_size(); }
  [[nodiscard]] std::size_t output_bytes() const { return output_desc(1).get_size(); }
  [[nodiscard]] std::size_t weight_count() const;

  /// Takes new parameters in PyTorch's order. They must stay in place until the next load().
  void load(const float* weights, const float* bias);

  void forward(std::int64_t batch, const std::byte* input, std::byte* output);

  /// Makes the forward pass of each sample by itself, so its bits do not depend on the other
  /// samples. A dense layer in fp32 reads its weights once for all samples.
  void forward_alone(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs);

  /// Writes the gradients of the parameters in PyTorch's order and, unless the layer is the first,
  /// the gradient of the input, in the input's layout and type. `d_linear` is the gradient before
  /// the activation, in the output's layout and spec().type.
  void backward(std::int64_t batch, const std::byte* input, const std::byte* d_linear,
                std::byte* d_input, float* d_weights, float* d_bias);

 private:
  struct Forward {
    dnnl::memory input, output;
    Call flatten, call;
  };
  struct Backward {
    dnnl::memory input, d_linear, d_input, d_weights;
    Call flatten, to_input, unflatten, to_weights, unpack;
  };
  struct Packed {
    dnnl::memory weights;
    Call pack;  // from plain_
  };

  [[nodiscard]] bool dense_over_images() const;
  void flatten(const std::byte* input, float* out);
  [[nodiscard]] Desc input_desc(std::int64_t batch) const;
  [[nodiscard]] Desc taken_desc(std::int64_t batch) const;
  [[nodiscard]] Desc output_desc(std::int64_t batch) const;
  [[nodiscard]] Desc weights_desc(Type type, Tag tag) const;
  [[nodiscard]] dnnl::memory as_images(const dnnl::memory& vectors, std::int64_t batch) const;
  dnnl::memory packed(const Desc& desc);
  Forward make_forward(std::int64_t batch);
  Backward make_backward(std::int64_t batch);

  Context& context_;
  LayerSpec spec_;
  std::optional<CellConvolution> bytes_;          // computes everything if the input is bytes
  std::optional<SlicedConvolution> convolution_;  // empty if it does not support the shape
  std::optional<SlicedDense> dense_;              // the same; used for large batches
  bool loaded_ = false;                           // whether dense_ has loaded the parameters
  Tag input_tag_ = Tag::any;
  Tag output_tag_ = Tag::any;
  dnnl::memory plain_;  // the weights of load()
  std::vector<Packed> packed_;
  dnnl::memory bias_;
  dnnl::memory d_plain_;  // the gradients as backward() returns them
  dnnl::memory d_bias_;
  dnnl::memory image_, vector_;  // of one sample
  Call to_vector_;
  std::vector<float> rows_in_, rows_out_;  // used by forward_alone()
  std::map<std::int64_t, Forward> forward_;
  std::map<std::int64_t, Backward> backward_;
};

}  // namespace tandem::onednn
