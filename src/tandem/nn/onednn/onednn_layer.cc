#include "tandem/nn/onednn/onednn_layer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tandem/base/cpu.h"
#include "tandem/nn/kernels/activation.h"
#include "tandem/nn/kernels/dense.h"
#include "tandem/nn/onednn/onednn_layouts.h"
#include "tandem/nn/onednn/onednn_pack.h"

namespace tandem::onednn {
namespace {

/// The batch size for which the layouts of activations are chosen.
constexpr std::int64_t kUsualBatch = 32;

/// From this batch size on, a dense layer's forward pass gains more from weights in oneDNN's own
/// layout than their conversion costs.
constexpr std::int64_t kPackingPays = 8;

struct Descs {
  Desc input, weights, bias, output;
};

const Dims kNoPadding{0, 0};

// Acting, too, uses the forward pass's mode for training, so that acting and learning compute the
// same bits.
constexpr auto kForward = dnnl::prop_kind::forward_training;
constexpr auto kConvolution = dnnl::algorithm::convolution_direct;

dnnl::convolution_forward::primitive_desc convolution(const Context& context, const LayerSpec& spec,
                                                      const Descs& d,
                                                      const dnnl::primitive_attr& attributes) {
  const dnnl::convolution_forward::desc desc(kForward, kConvolution, d.input, d.weights, d.bias,
                                             d.output, {spec.stride, spec.stride}, kNoPadding,
                                             kNoPadding);
  return {desc, attributes, context.engine};
}

dnnl::inner_product_forward::primitive_desc inner_product(const Context& context, const Descs& d,
                                                          const dnnl::primitive_attr& attributes) {
  return {{kForward, d.input, d.weights, d.bias, d.output}, attributes, context.engine};
}

dnnl::primitive_desc_base forward_desc(const Context& context, const LayerSpec& spec,
                                       const Descs& d) {
  auto attributes = with_scratch();
  if (spec.activation != Activation::none) {
    const auto behind = spec.activation == Activation::relu ? dnnl::algorithm::eltwise_relu
                                                            : dnnl::algorithm::eltwise_tanh;
    dnnl::post_ops activation;
    activation.append_eltwise(1.0f, behind, 0.0f, 0.0f);
    attributes.set_post_ops(activation);
  }
  if (spec.stride == 0) return inner_product(context, d, attributes);
  return convolution(context, spec, d, attributes);
}

dnnl::primitive_desc_base to_input_desc(const Context& context, const LayerSpec& spec,
                                        const Descs& d) {
  const auto attributes = with_scratch();
  if (spec.stride == 0) {
    return dnnl::inner_product_backward_data::primitive_desc({d.input, d.weights, d.output},
                                                             attributes, context.engine,
                                                             inner_product(context, d, attributes));
  }
  const dnnl::convolution_backward_data::desc desc(kConvolution, d.input, d.weights, d.output,
                                                   {spec.stride, spec.stride}, kNoPadding,
                                                   kNoPadding);
  return dnnl::convolution_backward_data::primitive_desc(desc, attributes, context.engine,
                                                         convolution(context, spec, d, attributes));
}

dnnl::primitive_desc_base to_weights_desc(const Context& context, const LayerSpec& spec,
                                          const Descs& d, const Desc& d_weights) {
  const auto attributes = with_scratch();
  if (spec.stride == 0) {
    return dnnl::inner_product_backward_weights::primitive_desc(
        {d.input, d_weights, d.bias, d.output}, attributes, context.engine,
        inner_product(context, d, attributes));
  }
  const dnnl::convolution_backward_weights::desc desc(kConvolution, d.input, d_weights, d.bias,
                                                      d.output, {spec.stride, spec.stride},
                                                      kNoPadding, kNoPadding);
  return dnnl::convolution_backward_weights::primitive_desc(
      desc, attributes, context.engine, convolution(context, spec, d, attributes));
}

/// The shape of a layer over images.
ConvolutionShape convolution_shape(const LayerSpec& spec) {
  return {.channels = spec.input[0],
          .height = spec.input[1],
          .width = spec.input[2],
          .kernel = spec.weights[2],
          .stride = spec.stride,
          .filters = spec.weights[0],
          .relu = spec.activation == Activation::relu};
}

ImageDense image_dense(const LayerSpec& spec) {
  return {.channels = spec.input[0],
          .places = spec.input[1] * spec.input[2],
          .outputs = spec.output[0],
          .relu = spec.activation == Activation::relu};
}

}  // namespace

CellShape cell_shape(const LayerSpec& spec) {
  return {.rows = spec.input[1],
          .columns = spec.input[2],
          .depth = spec.input[0],
          .reach = spec.weights[2],
          .filters = spec.weights[0]};
}

Layer::Layer(Context& context, LayerSpec spec, Tag input_tag)
    : context_(context), spec_(std::move(spec)), input_tag_(input_tag) {
  if (spec_.type == Type::u8) {
    bytes_.emplace(cell_shape(spec_));
    input_tag_ = Tag::nhwc;
    output_tag_ = Tag::nChw16c;
    return;
  }
  plain_ = view(context_,
                weights_desc(Type::f32, plain_tag(dense_over_images() ? 2 : spec_.weights.size())));
  d_plain_ = view(context_, plain_.get_desc());
  bias_ = view(context_, {{spec_.weights[0]}, Type::f32, Tag::a});
  d_bias_ = view(context_, bias_.get_desc());
  const auto chosen =
      forward_desc(context_, spec_,
                   {taken_desc(kUsualBatch),
                    weights_desc(spec_.type, Tag::any),
                    bias_.get_desc(),
                    {batch_of(kUsualBatch, spec_.output), spec_.output_type, Tag::any}});
  if (input_tag_ == Tag::any) input_tag_ = tag_of(chosen.src_desc());
  output_tag_ = tag_of(chosen.dst_desc());
  const bool whole = best_simd() == Simd::amx && input_tag_ == Tag::nChw16c &&
                     spec_.activation != Activation::tanh && spec_.type == Type::f32 &&
                     spec_.output_type == Type::f32;
  if (!whole) return;
  const auto convolution = convolution_shape(spec_);
  const auto dense = image_dense(spec_);
  if (spec_.stride == 0 && SlicedDense::supports(dense)) dense_.emplace(dense);
  if (spec_.stride == 0 || !SlicedConvolution::supports(convolution)) return;
  convolution_.emplace(convolution);
  output_tag_ = Tag::nChw16c;
}

std::size_t Layer::parameter_count() const {
  return static_cast<std::size_t>(count_of(spec_.weights) + spec_.weights[0]);
}

bool Layer::dense_over_images() const { return spec_.stride == 0 && spec_.input.size() == 3; }

Desc Layer::input_desc(std::int64_t batch) const {
  return {batch_of(batch, spec_.input), spec_.type, input_tag_};
}

/// The layout of the input as oneDNN's primitive takes it. Dense layers take images as vectors in
/// PyTorch's order: reordering a batch's numbers costs less than reordering the weights after each
/// update and reordering their gradients back.
Desc Layer::taken_desc(std::int64_t batch) const {
  if (dense_over_images()) return {{batch, count_of(spec_.input)}, spec_.type, Tag::nc};
  return input_desc(batch);
}

Desc Layer::output_desc(std::int64_t batch) const {
  return {batch_of(batch, spec_.output), spec_.output_type, output_tag_};
}

Desc Layer::weights_desc(Type type, Tag tag) const {
  if (dense_over_images()) return {{spec_.weights[0], count_of(spec_.input)}, type, tag};
  return {spec_.weights, type, tag};
}

/// Views vectors as images in PyTorch's order.
Layer::Vectors Layer::vectors_of(std::int64_t batch) const {
  return {.vectors = view(context_, taken_desc(batch)),
          .images = view(context_, {batch_of(batch, spec_.input), spec_.type, Tag::nchw})};
}

/// Gives them memory until the next call.
void Layer::lay_out(const Vectors& vectors) {
  const auto* data = vectors_.reserve(vectors.vectors.get_desc().get_size());
  point(vectors.vectors, data);
  point(vectors.images, data);
}

void Layer::load(const float* weights) {
  const auto* bias = weights + count_of(spec_.weights);
  if (bytes_) return bytes_->load(weights, bias);
  loaded_ = false;
  if (convolution_) convolution_->load(weights, bias);
  point(plain_, weights);
  point(bias_, bias);
  for (auto& packed : packed_) packed.pack();
}

void Layer::forward(const Samples& samples, std::byte* output) {
  const auto batch = samples.batch;
  const auto* input = samples.input;
  if (bytes_) {
    bytes_->forward(batch, reinterpret_cast<const std::uint8_t*>(input),
                    reinterpret_cast<float*>(output));
    return;
  }
  const auto* in = reinterpret_cast<const float*>(input);
  auto* out = reinterpret_cast<float*>(output);
  if (convolution_) return convolution_->forward(batch, in, out);
  if (dense_ && batch >= kPackingPays) {
    if (!std::exchange(loaded_, true)) {
      dense_->load(static_cast<const float*>(plain_.get_data_handle()),
                   static_cast<const float*>(bias_.get_data_handle()));
    }
    return dense_->forward(batch, in, out);
  }
  if (!forward_.contains(batch)) forward_.emplace(batch, make_forward(batch));
  auto& forward = forward_.at(batch);
  point(forward.input, input);
  point(forward.output, output);
  if (dense_over_images()) {
    lay_out(forward.taken);
    forward.flatten.run();
  }
  forward.call.run();
}

void Layer::forward_alone(std::span<const std::byte* const> inputs,
                          std::span<std::byte* const> outputs) {
  const bool product = spec_.stride == 0 && spec_.type == Type::f32;
  if (!product || spec_.output_type != Type::f32) {
    for (std::size_t i = 0; i < inputs.size(); ++i) forward({1, inputs[i]}, outputs[i]);
    return;
  }
  const DenseShape shape{.samples = static_cast<std::int64_t>(inputs.size()),
                         .inputs = count_of(spec_.input),
                         .outputs = spec_.weights[0]};
  rows_in_.resize(static_cast<std::size_t>(shape.samples * shape.inputs));
  rows_out_.resize(static_cast<std::size_t>(shape.samples * shape.outputs));
  const auto* bias = static_cast<const float*>(bias_.get_data_handle());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    flatten(inputs[i], rows_in_.data() + i * static_cast<std::size_t>(shape.inputs));
    std::copy_n(bias, shape.outputs,
                rows_out_.data() + i * static_cast<std::size_t>(shape.outputs));
  }
  static const DenseKernels kernels = dense_kernels(best_simd());
  kernels.forward(shape, static_cast<const float*>(plain_.get_data_handle()), rows_in_.data(),
                  rows_out_.data());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto* row = rows_out_.data() + i * static_cast<std::size_t>(shape.outputs);
    auto* out = reinterpret_cast<float*>(outputs[i]);
    std::copy_n(row, shape.outputs, out);
    activate(spec_.activation, {out, static_cast<std::size_t>(shape.outputs)});
  }
}

/// Writes one sample's input in PyTorch's order.
void Layer::flatten(const std::byte* input, float* out) {
  if (!dense_over_images()) {
    std::memcpy(out, input, input_bytes());
    return;
  }
  if (!image_) {
    image_ = view(context_, input_desc(1));
    vector_ = view(context_, {batch_of(1, spec_.input), spec_.type, Tag::nchw});
    to_vector_ = reorder(context_, image_, vector_);
  }
  point(image_, input);
  point(vector_, out);
  to_vector_.run();
}

void Layer::backward(const Samples& samples, const std::byte* d_linear, std::byte* d_input,
                     float* d_weights) {
  const auto batch = samples.batch;
  const auto* input = samples.input;
  auto* d_bias = d_weights + count_of(spec_.weights);
  if (bytes_) {
    bytes_->backward(batch, reinterpret_cast<const std::uint8_t*>(input),
                     reinterpret_cast<const float*>(d_linear), d_weights, d_bias);
    return;
  }
  if (!backward_.contains(batch)) backward_.emplace(batch, make_backward(batch));
  auto& backward = backward_.at(batch);
  point(backward.input, input);
  point(backward.d_linear, d_linear);
  point(d_plain_, d_weights);
  point(d_bias_, d_bias);
  if (dense_over_images()) {
    lay_out(backward.taken);
    backward.flatten.run();
  }
  backward.to_weights.run();
  if (backward.d_weights != d_plain_) backward.unpack.run();
  if (spec_.first) return;
  point(backward.d_input, d_input);
  if (dense_over_images()) lay_out(backward.given);  // the taken ones have been used
  backward.to_input.run();
  if (dense_over_images()) backward.unflatten.run();
}

/// The weights in the layout and type of `desc`, now and after each load().
dnnl::memory Layer::packed(const Desc& desc) {
  if (desc == plain_.get_desc()) return plain_;
  const auto found = std::ranges::find_if(
      packed_, [&](const Packed& packed) { return packed.weights.get_desc() == desc; });
  if (found != packed_.end()) return found->weights;
  dnnl::memory weights(desc, context_.engine);
  packed_.push_back({weights, make_pack(context_, plain_, weights)});
  packed_.back().pack();
  return weights;
}

Layer::Forward Layer::make_forward(std::int64_t batch) {
  // A product for a few samples reads its weights once, so their layout does not matter.
  const auto tag = spec_.stride == 0 && batch < kPackingPays ? Tag::ab : Tag::any;
  const auto desc = forward_desc(
      context_, spec_,
      {taken_desc(batch), weights_desc(spec_.type, tag), bias_.get_desc(), output_desc(batch)});
  Forward forward;
  forward.input = view(context_, input_desc(batch));
  forward.output = view(context_, output_desc(batch));
  auto taken = forward.input;
  if (dense_over_images()) {
    forward.taken = vectors_of(batch);
    taken = forward.taken.vectors;
    forward.flatten = reorder(context_, forward.input, forward.taken.images);
  }
  forward.call = {context_,
                  desc,
                  {{DNNL_ARG_SRC, taken},
                   {DNNL_ARG_WEIGHTS, packed(desc.weights_desc())},
                   {DNNL_ARG_BIAS, bias_},
                   {DNNL_ARG_DST, forward.output}}};
  return forward;
}

Layer::Backward Layer::make_backward(std::int64_t batch) {
  // Convolutions choose the weights' layout. A product of large matrices is as fast with plain
  // weights, which need no reordering.
  const auto tag = spec_.stride > 0 ? Tag::any : Tag::ab;
  const Descs descs{taken_desc(batch),
                    weights_desc(spec_.type, tag),
                    bias_.get_desc(),
                    {batch_of(batch, spec_.output), spec_.type, output_tag_}};
  Backward backward;
  backward.input = view(context_, input_desc(batch));
  backward.d_linear = view(context_, descs.output);
  auto taken = backward.input;
  if (dense_over_images()) {
    backward.taken = vectors_of(batch);
    taken = backward.taken.vectors;
    backward.flatten = reorder(context_, backward.input, backward.taken.images);
  }

  const auto to_weights = to_weights_desc(context_, spec_, descs, weights_desc(Type::f32, tag));
  const auto d_weights = to_weights.diff_weights_desc();
  if (d_weights == d_plain_.get_desc()) {
    backward.d_weights = d_plain_;
  } else {
    backward.d_weights = {d_weights, context_.engine};
    backward.unpack = reorder(context_, backward.d_weights, d_plain_);
  }
  backward.to_weights = {context_,
                         to_weights,
                         {{DNNL_ARG_SRC, taken},
                          {DNNL_ARG_DIFF_DST, backward.d_linear},
                          {DNNL_ARG_DIFF_WEIGHTS, backward.d_weights},
                          {DNNL_ARG_DIFF_BIAS, d_bias_}}};
  if (spec_.first) return backward;

  const auto to_input = to_input_desc(context_, spec_, descs);
  backward.d_input = view(context_, input_desc(batch));
  auto given = backward.d_input;
  if (dense_over_images()) {
    backward.given = vectors_of(batch);
    given = backward.given.vectors;
    backward.unflatten = reorder(context_, backward.given.images, backward.d_input);
  }
  backward.to_input = {context_,
                       to_input,
                       {{DNNL_ARG_DIFF_DST, backward.d_linear},
                        {DNNL_ARG_WEIGHTS, packed(to_input.weights_desc())},
                        {DNNL_ARG_DIFF_SRC, given}}};
  return backward;
}

}  // namespace tandem::onednn
