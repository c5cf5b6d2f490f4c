#include "tandem/nn/onednn/onednn_section.h"

#include <stdexcept>
#include <utility>

#include "tandem/nn/kernels/relu.h"
#include "tandem/nn/onednn/onednn_layouts.h"

namespace tandem::onednn {
namespace {

constexpr std::size_t kAligned = 64;  // a cache line, and the widest register

std::size_t bytes_of(Type type) { return type == Type::bf16 ? 2 : 4; }

std::size_t rounded_up(std::size_t bytes) { return (bytes + kAligned - 1) / kAligned * kAligned; }

template <class T>
const T* as(const std::byte* data) {
  return reinterpret_cast<const T*>(data);
}

template <class T>
T* as(std::byte* data) {
  return reinterpret_cast<T*>(data);
}

/// The layout of all images in the section.
Tag inner_tag(const Context& context, const LayerSpec& spec) {
  return preferred_tag(context,
                       {.input = spec.output, .filters = spec.output[0], .type = spec.type});
}

/// The layout of the input: for the first section, that of the other images if its channels fill
/// blocks, else with channels last.
Tag outer_tag(Tag given, Tag inner, std::int64_t channels) {
  if (given != Tag::any) return given;
  return channels % block_of(inner, channels) == 0 ? inner : Tag::nhwc;
}

}  // namespace

Section::Section(Context& context, LayerSpec spec, Tag input_tag)
    : spec_(std::move(spec)),
      input_tag_(outer_tag(input_tag, inner_tag(context, spec_), spec_.input[0])),
      output_tag_(inner_tag(context, spec_)) {
  const auto filters = spec_.output[0];
  const auto lanes = block_of(output_tag_, filters);
  // A layout in blocks has room for whole blocks, which oneDNN fills with zeros.
  pool_ = {(filters + lanes - 1) / lanes, spec_.input[1], spec_.input[2], lanes};
  activation_bytes_ = rounded_up(static_cast<std::size_t>(pool_.outputs()) * bytes_of(spec_.type));
  convolutions_.reserve(static_cast<std::size_t>(1 + 2 * spec_.blocks));
  convolutions_.emplace_back(context, SameSpec{.input = spec_.input,
                                               .filters = filters,
                                               .input_tag = input_tag_,
                                               .output_tag = output_tag_,
                                               .type = spec_.type,
                                               .output_type = spec_.type,
                                               .first = spec_.first});
  SameSpec inner{.input = spec_.output,
                 .filters = filters,
                 .input_tag = output_tag_,
                 .output_tag = output_tag_,
                 .type = spec_.type};
  for (std::int64_t block = 0; block < spec_.blocks; ++block) {
    inner.output_type = spec_.type;
    inner.adds = false;
    inner.activation = Activation::relu;
    convolutions_.emplace_back(context, inner);
    inner.output_type = spec_.output_type;
    inner.adds = true;
    inner.activation = block + 1 == spec_.blocks ? spec_.activation : Activation::none;
    convolutions_.emplace_back(context, inner);
  }
}

std::size_t Section::input_bytes() const {
  return Desc(batch_of(1, spec_.input), spec_.type, input_tag_).get_size();
}

std::size_t Section::output_bytes() const {
  return static_cast<std::size_t>(pool_.outputs()) * bytes_of(spec_.output_type);
}

std::size_t Section::kept_bytes() const {
  return rounded_up(static_cast<std::size_t>(pool_.outputs())) +
         static_cast<std::size_t>(2 * spec_.blocks) * activation_bytes_;
}

std::size_t Section::parameter_count() const {
  std::size_t count = 0;
  for (const auto& convolution : convolutions_) count += convolution.parameter_count();
  return count;
}

Section::Kept Section::kept(std::byte* sample) const {
  return {as<std::uint8_t>(sample), sample + rounded_up(static_cast<std::size_t>(pool_.outputs())),
          activation_bytes_};
}

void Section::load(const float* parameters) {
  for (auto& convolution : convolutions_) {
    convolution.load(parameters);
    parameters += convolution.parameter_count();
  }
}

void Section::forward(const Samples& samples, std::byte* output) {
  for (std::int64_t i = 0; i < samples.batch; ++i) {
    forward_one(samples.input + i * input_bytes(), kept(samples.kept + i * kept_bytes()),
                output + i * output_bytes());
  }
}

void Section::forward_alone(std::span<const std::byte* const> /*inputs*/,
                            std::span<std::byte* const> /*outputs*/) {
  throw std::logic_error("Section: it keeps more than its inputs");
}

void Section::forward_one(const std::byte* input, const Kept& kept, std::byte* output) {
  const bool rounded = spec_.type == Type::bf16;
  const bool rounds_output = spec_.output_type == Type::bf16;
  auto* image = image_.reserve(static_cast<std::size_t>(pool_.inputs()) * bytes_of(spec_.type));
  convolutions_[0].forward(input, image);
  if (rounds_output) {
    max_pool(pool_, as<Bfloat16>(image), as<Bfloat16>(output), kept.places);
  } else if (rounded) {
    max_pool(pool_, as<Bfloat16>(image), as<float>(output), kept.places);
  } else {
    max_pool(pool_, as<float>(image), as<float>(output), kept.places);
  }
  const auto count = static_cast<std::size_t>(pool_.outputs());
  for (std::size_t i = 0; i + 1 < convolutions_.size(); i += 2) {
    auto* rectified = kept.of(i);
    if (rounds_output) {
      relu_forward(count, as<Bfloat16>(output), as<Bfloat16>(rectified));
    } else if (rounded) {
      relu_forward(count, as<float>(output), as<Bfloat16>(rectified));
    } else {
      relu_forward(count, as<float>(output), as<float>(rectified));
    }
    convolutions_[i + 1].forward(rectified, kept.of(i + 1));
    convolutions_[i + 2].forward(kept.of(i + 1), output);
  }
}

void Section::backward(const Samples& samples, const std::byte* d_linear, std::byte* d_input,
                       float* d_parameters) {
  for (auto& convolution : convolutions_) convolution.clear();
  const auto d_bytes = static_cast<std::size_t>(pool_.outputs()) * bytes_of(spec_.type);
  for (std::int64_t i = 0; i < samples.batch; ++i) {
    backward_one(samples.input + i * input_bytes(), kept(samples.kept + i * kept_bytes()),
                 d_linear + i * d_bytes, spec_.first ? nullptr : d_input + i * input_bytes());
  }
  for (auto& convolution : convolutions_) {
    convolution.write_gradients(d_parameters);
    d_parameters += convolution.parameter_count();
  }
}

void Section::backward_one(const std::byte* input, const Kept& kept, const std::byte* d_linear,
                           std::byte* d_input) {
  const bool rounded = spec_.type == Type::bf16;
  const auto count = static_cast<std::size_t>(pool_.outputs());
  const auto bytes = count * bytes_of(spec_.type);
  auto* d_sum = d_sum_.reserve(bytes);
  auto* d_inner = d_inner_.reserve(2 * activation_bytes_);
  auto* d_rectified = d_inner + activation_bytes_;
  const auto* d = d_linear;
  for (auto i = convolutions_.size() - 1; i > 0; i -= 2) {
    convolutions_[i].backward(kept.of(i - 1), d, d_inner);
    if (rounded) {
      relu_backward(count, as<Bfloat16>(kept.of(i - 1)), as<Bfloat16>(d_inner),
                    as<Bfloat16>(d_inner));
    } else {
      relu_backward(count, as<float>(kept.of(i - 1)), as<float>(d_inner), as<float>(d_inner));
    }
    convolutions_[i - 1].backward(kept.of(i - 2), d_inner, d_rectified);
    if (rounded) {
      add_relu_backward(count, as<Bfloat16>(kept.of(i - 2)), as<Bfloat16>(d_rectified),
                        as<Bfloat16>(d), as<Bfloat16>(d_sum));
    } else {
      add_relu_backward(count, as<float>(kept.of(i - 2)), as<float>(d_rectified), as<float>(d),
                        as<float>(d_sum));
    }
    d = d_sum;
  }
  auto* d_image = image_.reserve(static_cast<std::size_t>(pool_.inputs()) * bytes_of(spec_.type));
  if (rounded) {
    max_pool_backward(pool_, as<Bfloat16>(d), kept.places, as<Bfloat16>(d_image));
  } else {
    max_pool_backward(pool_, as<float>(d), kept.places, as<float>(d_image));
  }
  convolutions_[0].backward(input, d_image, d_input);
}

}  // namespace tandem::onednn
