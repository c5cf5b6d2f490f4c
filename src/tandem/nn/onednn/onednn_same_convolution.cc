#include "tandem/nn/onednn/onednn_same_convolution.h"

#include <algorithm>
#include <utility>

#include "tandem/base/cpu.h"
#include "tandem/nn/kernels/bfloat16.h"
#include "tandem/nn/onednn/onednn_layouts.h"

namespace tandem::onednn {
namespace {

constexpr auto kSame = dnnl::prop_kind::forward_training;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;
constexpr std::int64_t kKernel = 3;
const Dims kOne{1, 1};  // the stride, and the padding on each side

dnnl::convolution_forward::primitive_desc same_desc(const Context& context, const Desc& input,
                                                    const Desc& weights, const Desc& bias,
                                                    const Desc& output,
                                                    const dnnl::primitive_attr& attributes) {
  return {
      {kSame, kDirect, input, weights, bias, output, kOne, kOne, kOne}, attributes, context.engine};
}

dnnl::primitive_attr behind(const SameSpec& spec) {
  auto attributes = with_scratch();
  dnnl::post_ops operations;
  if (spec.adds) operations.append_sum(1.0F);
  if (spec.activation != Activation::none) {
    operations.append_eltwise(1.0F,
                              spec.activation == Activation::relu ? dnnl::algorithm::eltwise_relu
                                                                  : dnnl::algorithm::eltwise_tanh,
                              0.0F, 0.0F);
  }
  attributes.set_post_ops(operations);
  return attributes;
}

/// Whether PaddedConvolution computes it: for images whose channels fill no block, oneDNN has a
/// slow reference alone.
bool few_channels(const SameSpec& spec) {
  const bool blocks = spec.output_tag == Tag::nChw16c || spec.output_tag == Tag::nChw8c;
  return blocks && spec.input_tag == Tag::nhwc && spec.first && !spec.adds &&
         spec.activation == Activation::none && spec.type == spec.output_type;
}

PaddedShape padded_shape(const SameSpec& spec) {
  return {.channels = spec.input[0],
          .height = spec.input[1],
          .width = spec.input[2],
          .filters = spec.filters,
          .lanes = block_of(spec.output_tag, spec.filters)};
}

SameShape same_shape(const SameSpec& spec) {
  return {.channels = spec.input[0],
          .height = spec.input[1],
          .width = spec.input[2],
          .filters = spec.filters,
          .adds = spec.adds,
          .relu = spec.activation == Activation::relu};
}

/// The convolution of the output's gradient that gives the input's.
SameShape turned_shape(const SameSpec& spec) {
  return {.channels = spec.filters,
          .height = spec.input[1],
          .width = spec.input[2],
          .filters = spec.input[0]};
}

/// Whether AMX computes everything.
bool in_slices(const SameSpec& spec) {
  return best_simd() == Simd::amx && spec.type == Type::f32 && spec.output_type == Type::f32 &&
         spec.input_tag == Tag::nChw16c && spec.output_tag == Tag::nChw16c &&
         spec.activation != Activation::tanh && SlicedSameGradient::supports(same_shape(spec)) &&
         SlicedSameConvolution::supports(turned_shape(spec));
}

const float* floats(const std::byte* data) { return reinterpret_cast<const float*>(data); }

/// The numbers as floats: where they are, or copied to `memory` if they are bfloat16.
const float* floats(const std::byte* data, Type type, std::int64_t count,
                    std::vector<float>& memory) {
  if (type == Type::f32) return floats(data);
  memory.resize(static_cast<std::size_t>(count));
  const auto* rounded = reinterpret_cast<const Bfloat16*>(data);
  std::transform(rounded, rounded + count, memory.begin(), from_bfloat16);
  return memory.data();
}

void add_all(std::size_t count, const float* values, float* sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += values[i];
}

}  // namespace

Tag preferred_tag(const Context& context, SameSpec spec) {
  // With SSE alone, oneDNN prefers blocks forward, and has nothing but a slow reference for them
  // backward.
  if (best_simd() == Simd::portable) return Tag::nchw;
  const auto image = [&](std::int64_t channels) {
    return Desc{{1, channels, spec.input[1], spec.input[2]}, spec.type, Tag::any};
  };
  const auto desc =
      same_desc(context, image(spec.input[0]),
                {{spec.filters, spec.input[0], kKernel, kKernel}, spec.type, Tag::any},
                {{spec.filters}, Type::f32, Tag::a}, image(spec.filters), with_scratch());
  return tag_of(desc.dst_desc());
}

SameConvolution::SameConvolution(Context& context, SameSpec spec)
    : context_(context),
      spec_(std::move(spec)),
      plain_(view(context, {weights_desc(Type::f32).dims(), Type::f32, Tag::abcd})),
      bias_({{spec_.filters}, Type::f32, Tag::a}, context.engine),
      bias_sums_(static_cast<std::size_t>(spec_.filters)),
      sample_bias_(static_cast<std::size_t>(spec_.filters)) {
  if (few_channels(spec_)) few_.emplace(padded_shape(spec_));
  if (!in_slices(spec_)) return;
  ahead_.emplace(same_shape(spec_));
  gradient_.emplace(same_shape(spec_));
  if (!spec_.first) back_.emplace(turned_shape(spec_));
}

std::size_t SameConvolution::parameter_count() const {
  return static_cast<std::size_t>(spec_.filters * (spec_.input[0] * kKernel * kKernel + 1));
}

Desc SameConvolution::input_desc() const {
  return {batch_of(1, spec_.input), spec_.type, spec_.input_tag};
}

Desc SameConvolution::output_desc(Type type) const {
  return {{1, spec_.filters, spec_.input[1], spec_.input[2]}, type, spec_.output_tag};
}

Desc SameConvolution::weights_desc(Type type) const {
  return {{spec_.filters, spec_.input[0], kKernel, kKernel}, type, Tag::any};
}

void SameConvolution::load(const float* parameters) {
  const auto* bias = parameters + parameter_count() - spec_.filters;
  if (few_) return few_->load(parameters, bias);
  point(plain_, parameters);
  std::copy_n(bias, spec_.filters, static_cast<float*>(bias_.get_data_handle()));
  forward_weights_.loaded = backward_weights_.loaded = back_loaded_ = false;
  if (ahead_) ahead_->load(parameters, bias);
}

void SameConvolution::make_packed(Packed& packed, const Desc& desc) {
  packed.weights = {desc, context_.engine};
  packed.pack = reorder(context_, plain_, packed.weights);
}

void SameConvolution::refresh(Packed& packed) {
  if (!std::exchange(packed.loaded, true)) packed.pack.run();
}

void SameConvolution::make_forward() {
  const auto desc = same_desc(context_, input_desc(), weights_desc(spec_.type), bias_.get_desc(),
                              output_desc(spec_.output_type), behind(spec_));
  make_packed(forward_weights_, desc.weights_desc());
  if (!input_) input_ = view(context_, input_desc());
  output_ = view(context_, output_desc(spec_.output_type));
  forward_ = {context_,
              desc,
              {{DNNL_ARG_SRC, input_},
               {DNNL_ARG_WEIGHTS, forward_weights_.weights},
               {DNNL_ARG_BIAS, bias_},
               {DNNL_ARG_DST, output_}}};
  has_forward_ = true;
}

void SameConvolution::forward(const std::byte* input, std::byte* output) {
  if (few_) return forward_few(input, output);
  if (ahead_) return ahead_->forward(floats(input), reinterpret_cast<float*>(output));
  if (!has_forward_) make_forward();
  refresh(forward_weights_);
  point(input_, input);
  point(output_, output);
  forward_.run();
}

/// PaddedConvolution computes in floats; only what goes in and comes out is rounded to bfloat16.
void SameConvolution::forward_few(const std::byte* input, std::byte* output) {
  const auto* in = floats(input, spec_.type, count_of(spec_.input), few_in_);
  if (spec_.type == Type::f32) return few_->forward(in, reinterpret_cast<float*>(output));
  few_out_.resize(static_cast<std::size_t>(padded_shape(spec_).outputs()));
  few_->forward(in, few_out_.data());
  std::ranges::transform(few_out_, reinterpret_cast<Bfloat16*>(output), to_bfloat16);
}

void SameConvolution::make_backward() {
  const auto output = output_desc(spec_.type);
  const auto weights = weights_desc(spec_.type);
  const auto hint =
      same_desc(context_, input_desc(), weights, bias_.get_desc(), output, with_scratch());
  if (!input_) input_ = view(context_, input_desc());
  d_output_ = view(context_, output);
  d_bias_ = view(context_, bias_.get_desc());
  const dnnl::convolution_backward_weights::primitive_desc to_weights(
      {kDirect, input_desc(), weights_desc(Type::f32), bias_.get_desc(), output, kOne, kOne, kOne},
      with_scratch(), context_.engine, hint);
  const auto d_weights = to_weights.diff_weights_desc();
  d_weights_ = view(context_, d_weights);
  sums_ = view(context_, d_weights);
  d_plain_ = view(context_, plain_.get_desc());
  unpack_ = reorder(context_, sums_, d_plain_);
  to_weights_ = {context_,
                 to_weights,
                 {{DNNL_ARG_SRC, input_},
                  {DNNL_ARG_DIFF_DST, d_output_},
                  {DNNL_ARG_DIFF_WEIGHTS, d_weights_},
                  {DNNL_ARG_DIFF_BIAS, d_bias_}}};
  has_backward_ = true;
  if (spec_.first) return;
  const dnnl::convolution_backward_data::primitive_desc to_input(
      {kDirect, input_desc(), weights, output, kOne, kOne, kOne}, with_scratch(), context_.engine,
      hint);
  make_packed(backward_weights_, to_input.weights_desc());
  d_input_ = view(context_, input_desc());
  to_input_ = {context_,
               to_input,
               {{DNNL_ARG_DIFF_DST, d_output_},
                {DNNL_ARG_WEIGHTS, backward_weights_.weights},
                {DNNL_ARG_DIFF_SRC, d_input_}}};
}

void SameConvolution::backward(const std::byte* input, const std::byte* d_output,
                               std::byte* d_input) {
  if (few_) {
    return few_->add_gradients(
        floats(input, spec_.type, count_of(spec_.input), few_in_),
        floats(d_output, spec_.type, padded_shape(spec_).outputs(), few_out_));
  }
  if (gradient_) {
    gradient_->add(floats(input), floats(d_output));
    if (back_) back_with_slices(floats(d_output), reinterpret_cast<float*>(d_input));
    return;
  }
  if (!has_backward_) make_backward();
  const auto bytes = sums_.get_desc().get_size();
  auto* sums = weight_sums_.reserve(bytes);
  const bool first = samples_++ == 0;
  auto* weights = first ? sums : sample_weights_.reserve(bytes);
  point(input_, input);
  point(d_output_, d_output);
  point(d_weights_, weights);
  point(d_bias_, first ? bias_sums_.data() : sample_bias_.data());
  to_weights_.run();
  if (!first) {
    add_all(bytes / sizeof(float), reinterpret_cast<const float*>(weights),
            reinterpret_cast<float*>(sums));
    add_all(bias_sums_.size(), sample_bias_.data(), bias_sums_.data());
  }
  if (spec_.first) return;
  refresh(backward_weights_);
  point(d_input_, d_input);
  to_input_.run();
}

/// The gradient of the input is a convolution of the output's, with each kernel turned by half a
/// turn, and inputs and outputs swapped.
void SameConvolution::back_with_slices(const float* d_output, float* d_input) {
  if (std::exchange(back_loaded_, true)) return back_->forward(d_output, d_input);
  const auto* weights = static_cast<const float*>(plain_.get_data_handle());
  const auto channels = spec_.input[0];
  constexpr auto kPlaces = kKernel * kKernel;
  std::vector<float> turned(static_cast<std::size_t>(spec_.filters * channels * kPlaces));
  for (std::int64_t filter = 0; filter < spec_.filters; ++filter) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const auto* from = weights + (filter * channels + channel) * kPlaces;
      std::reverse_copy(from, from + kPlaces,
                        turned.begin() + (channel * spec_.filters + filter) * kPlaces);
    }
  }
  const std::vector<float> none(static_cast<std::size_t>(channels));
  back_->load(turned.data(), none.data());
  back_->forward(d_output, d_input);
}

void SameConvolution::clear() {
  samples_ = 0;
  if (few_) few_->clear();
  if (gradient_) gradient_->clear();
}

void SameConvolution::write_gradients(float* d_parameters) {
  auto* d_bias = d_parameters + parameter_count() - spec_.filters;
  if (few_) return few_->write_gradients(d_parameters, d_bias);
  if (gradient_) return gradient_->write(d_parameters, d_bias);
  point(sums_, weight_sums_.data());
  point(d_plain_, d_parameters);
  unpack_.run();
  std::ranges::copy(bias_sums_, d_bias);
}

}  // namespace tandem::onednn
