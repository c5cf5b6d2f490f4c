// One layer on oneDNN: forward, and backward to its input and its parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tandem/nn/kernels/cell_convolution.h"
#include "tandem/nn/kernels/sliced_convolution.h"
#include "tandem/nn/kernels/sliced_dense.h"
#include "tandem/nn/onednn/onednn_call.h"
#include "tandem/nn/onednn/onednn_stage.h"

namespace tandem::onednn {

/// The shape of a first layer over cells.
CellShape cell_shape(const LayerSpec& spec);

/// A layer with its parameters in the layouts that oneDNN chooses. Activations have the layout that
/// it chose for a batch of usual size. Whole samples lie one after another, so that batches can be
/// split and joined. Primitives are made when a batch size first occurs. Not thread-safe. oneDNN's
/// exceptions (dnnl::error) pass through.
class Layer final : public Stage {
 public:
  /// `input_tag`: the layout of the layer's input, or Tag::any if oneDNN may choose it. The context
  /// must outlive the layer.
  Layer(Context& context, LayerSpec spec, Tag input_tag);

  [[nodiscard]] const LayerSpec& spec() const override { return spec_; }
  [[nodiscard]] Tag input_tag() const override { return input_tag_; }
  [[nodiscard]] Tag output_tag() const override { return output_tag_; }
  [[nodiscard]] std::size_t input_bytes() const override { return input_desc(1).get_size(); }
  [[nodiscard]] std::size_t output_bytes() const override { return output_desc(1).get_size(); }
  [[nodiscard]] std::size_t parameter_count() const override;

  void load(const float* parameters) override;
  void forward(const Samples& samples, std::byte* output) override;

  /// Makes the forward pass of each sample by itself, so its bits do not depend on the other
  /// samples. A dense layer in fp32 reads its weights once for all samples.
  void forward_alone(std::span<const std::byte* const> inputs,
                     std::span<std::byte* const> outputs) override;

  void backward(const Samples& samples, const std::byte* d_linear, std::byte* d_input,
                float* d_parameters) override;

 private:
  /// A batch in PyTorch's order, as vectors and as images.
  struct Vectors {
    dnnl::memory vectors, images;
  };
  struct Forward {
    dnnl::memory input, output;
    Vectors taken;
    Call flatten, call;
  };
  struct Backward {
    dnnl::memory input, d_linear, d_input, d_weights;
    Vectors taken, given;
    Call flatten, to_input, unflatten, to_weights, unpack;
  };
  struct Packed {
    dnnl::memory weights;
    std::function<void()> pack;  // from plain_
  };

  [[nodiscard]] bool dense_over_images() const;
  void flatten(const std::byte* input, float* out);
  [[nodiscard]] Desc input_desc(std::int64_t batch) const;
  [[nodiscard]] Desc taken_desc(std::int64_t batch) const;
  [[nodiscard]] Desc output_desc(std::int64_t batch) const;
  [[nodiscard]] Desc weights_desc(Type type, Tag tag) const;
  [[nodiscard]] Vectors vectors_of(std::int64_t batch) const;
  void lay_out(const Vectors& vectors);
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
  Buffer vectors_;                         // of one call at a time, whatever the batch
  std::map<std::int64_t, Forward> forward_;
  std::map<std::int64_t, Backward> backward_;
};

}  // namespace tandem::onednn
