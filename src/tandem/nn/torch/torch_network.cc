// The backend tandem_torch.so; it and this folder's headers
// alone include libtorch. They include single
// operators instead of all of torch.h, which takes many times longer to compile. It computes the
// backward pass by hand, layer by layer: at the batch sizes of acting and learning on a CPU,
// building an autograd graph costs a noticeable share of the time. It uses no fmt, because libtorch
// brings another version of its headers.

#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh_backward.h>
#include <ATen/ops/threshold_backward.h>
#include <c10/util/accumulate.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/nn/backend.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/kernels/pixels.h"
#include "tandem/nn/torch/tape.h"
#include "tandem/nn/torch/torch_device.h"
#include "tandem/nn/torch/torch_section.h"

/// Of libtorch: TORCH_ABI_VERSION of the library that was loaded.
extern "C" std::uint64_t aoti_torch_abi_version();

namespace tandem {
namespace {

/// Refuses another release of libtorch than that of the headers: its objects may have another
/// layout, although all symbols are there.
void check_release() {
  constexpr int kMinor = 48;
  constexpr int kMajor = 56;
  constexpr std::uint64_t kByte = 0xff;
  const auto loaded = aoti_torch_abi_version();
  if (loaded >> kMinor == TORCH_ABI_VERSION >> kMinor) return;
  throw Error("the backend of libtorch was built for torch " TORCH_VERSION ", and torch " +
              std::to_string(loaded >> kMajor) + "." + std::to_string((loaded >> kMinor) & kByte) +
              " was loaded; pip install torch==" TORCH_VERSION ", or build tandem anew");
}

at::Tensor view(float* data, at::IntArrayRef shape) { return at::from_blob(data, shape); }

/// Weight and bias of each layer and convolution, as views of a flat buffer. A section has several.
std::vector<LayerTensors> layers_of(const std::vector<ParameterInfo>& infos,
                                    const at::Tensor& flat) {
  std::vector<LayerTensors> layers;
  for (std::size_t i = 0; i < infos.size(); i += 2) {
    const auto part = [&](const ParameterInfo& info) {
      return flat.narrow(0, info.offset, info.count).view(info.shape);
    };
    layers.push_back({part(infos[i]), part(infos[i + 1])});
  }
  return layers;
}

/// For each layer of the torso, then for the heads, the index of its first weight and bias in
/// layers_of().
std::vector<std::size_t> first_tensors(const Architecture& architecture) {
  std::vector<std::size_t> firsts{0};
  for (const auto& layer : architecture.torso)
    firsts.push_back(firsts.back() + layer.tensors() / 2);
  return firsts;
}

/// Applies the activation after a layer, in place.
void activate(Activation activation, at::Tensor& x) {
  if (activation == Activation::relu) x.relu_();
  if (activation == Activation::tanh) x.tanh_();
}

/// The gradient before an activation, from `d`, the gradient after it, and `y`, its output.
at::Tensor activation_backward(Activation activation, const at::Tensor& d, const at::Tensor& y) {
  if (activation == Activation::relu) return at::threshold_backward(d, y, 0);
  return activation == Activation::tanh ? at::tanh_backward(d, y) : d;
}

/// The sections of a torso by the index of their layer.
using Sections = std::map<std::size_t, TorchSection>;

Sections sections_of(const Architecture& architecture) {
  auto input = architecture.input_shape;
  const auto outputs = architecture.output_shapes();
  auto slot = outputs.size() + 1;
  Sections sections;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& layer = architecture.torso[i];
    if (layer.kind == Layer::Kind::section) {
      const auto& made = sections.emplace(i, TorchSection(layer, input, slot)).first->second;
      slot += made.slots().size();
    }
    input = outputs[i];
  }
  return sections;
}

/// The slots of a tape: one sample's inputs to each layer of the torso and to the heads, then those
/// of the sections. Dense layers take images as flat vectors in PyTorch's order.
std::vector<TapeSlot> slots_of(const Architecture& architecture, const Sections& sections) {
  auto shapes = architecture.output_shapes();
  shapes.insert(shapes.begin(), architecture.input_shape);
  std::vector<TapeSlot> slots;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const bool image = i < architecture.torso.size() && architecture.torso[i].over_images();
    slots.push_back({image ? shapes[i] : Shape{c10::multiply_integers(shapes[i])}});
  }
  for (const auto& [layer, section] : sections) {
    const auto more = section.slots();
    slots.insert(slots.end(), more.begin(), more.end());
  }
  return slots;
}

class TorchNetwork final : public Network {
 public:
  TorchNetwork(const Architecture& architecture, std::span<const float> parameters,
               at::Device device)
      : architecture_(architecture),
        infos_(architecture.parameters()),
        firsts_(first_tensors(architecture)),
        outputs_(architecture.output_shapes()),
        sections_(sections_of(architecture)),
        device_(device),
        stream_(next_stream(device)),
        passing_(slots_of(architecture, sections_), device),
        recorded_(slots_of(architecture, sections_), device),
        heads_(architecture.policy_outputs) {
    const Call call(stream_);
    // A view needs a pointer that is not const, but nothing is written through it.
    host_ =
        view(const_cast<float*>(parameters.data()), static_cast<std::int64_t>(parameters.size()));
    flat_ = host_.to(device_);
    layers_ = layers_of(infos_, flat_);
    reload();
  }

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  void forward(const Inputs& inputs, const Heads& out) override {
    const Call call(stream_);
    passing_.clear();
    run(inputs, passing_, out);
  }

  void record(const Inputs& inputs, const Heads& out) override {
    const Call call(stream_);
    run(inputs, recorded_, out);
    heads_.add(out);
  }

  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    const Call call(stream_);
    const auto d = heads_.gradient(loss);
    auto host_gradient = view(gradient.data(), static_cast<std::int64_t>(gradient.size()));
    auto flat_gradient = device_.is_cpu() ? host_gradient : at::empty_like(flat_);
    const auto gradients = layers_of(infos_, flat_gradient);
    const auto policy = architecture_.torso.size();
    const auto d_logits = view(d.logits.data(), {d.batch, d.actions}).to(device_);
    const auto features = recorded_.all(policy);
    auto d_output = at::empty_like(features).zero_();
    const auto head_back = [&](std::size_t head, const at::Tensor& d_head) {
      const auto first = firsts_.back() + head;
      dense_backward(head_input(features, head), d_head, gradients[first]);
      head_input(d_output, head).addmm_(d_head, layers_[first].weight);
    };
    head_back(0, d_logits);
    if (architecture_.value_head) head_back(1, view(d.value.data(), {d.batch, 1}).to(device_));
    for (std::size_t i = policy; i > 0; --i) {
      d_output = layer_backward(i - 1, d_output, std::span(gradients).subspan(firsts_[i - 1]));
      const bool streams_meet = architecture_.dueling && i == policy && i > 1;
      if (streams_meet) d_output.mul_(architecture_.dueling_gradient_scale);
    }
    if (!device_.is_cpu()) host_gradient.copy_(flat_gradient);
    forget();
  }

  void reload() override {
    const Call call(stream_);
    if (!device_.is_cpu()) flat_.copy_(host_);  // on the CPU both are the caller's buffer
    conv_weights_.clear();
    for (std::size_t i = 0; i < architecture_.torso.size(); ++i) {
      if (!architecture_.torso[i].over_images()) break;
      const auto layers = std::span(layers_).subspan(firsts_[i]);
      conv_weights_.push_back(layers[0].weight.contiguous(at::MemoryFormat::ChannelsLast));
      if (sections_.contains(i)) sections_.at(i).load(layers);
    }
    forget();
  }

 private:
  void forget() {
    recorded_.clear();
    heads_.clear();
  }

  /// Makes one forward pass, and appends its activations to `tape`.
  void run(const Inputs& inputs, Tape& tape, const Heads& out) const {
    require_sizes(architecture_, inputs, out);
    tape.extend(out.batch);
    read(inputs.observations, out.batch, tape.latest(0));
    for (std::size_t i = 0; i < architecture_.torso.size(); ++i) {
      apply(i, tape, tape.latest(i + 1));
    }
    evaluate_heads(tape.latest(architecture_.torso.size()), out);
  }

  /// Converts observations to floats in `x`. Bytes are divided by 255, and their mean is
  /// subtracted.
  void read(std::span<const std::byte> observations, std::int64_t batch,
            const at::Tensor& x) const {
    auto* data = const_cast<std::byte*>(observations.data());
    if (architecture_.input_dtype == DType::f32) {
      x.copy_(at::from_blob(data, x.sizes(), at::kFloat));
      return;
    }
    if (device_.is_cpu() && x.dim() == 4) {
      scale_channels_last(observations, batch, x.size(1), x.size(2) * x.size(3),
                          x.data_ptr<float>());
    } else {
      // Bytes cross to a GPU as they are, a quarter of the floats that they become there.
      x.copy_(at::from_blob(data, x.sizes(), at::kByte).to(device_)).div_(255.0f);
    }
    if (architecture_.pixel_mean != 0) x.sub_(architecture_.pixel_mean);
  }

  /// Writes the output of torso layer i, after its activation, in the shape that the next layer
  /// takes.
  void apply(std::size_t i, const Tape& tape, at::Tensor out) const {
    const auto& layer = architecture_.torso[i];
    const auto& [weight, bias] = layers_[firsts_[i]];
    const auto x = tape.latest(i);
    if (layer.kind == Layer::Kind::dense) {
      at::addmm_out(out, bias, x, weight.t());
      return activate(layer.activation, out);
    }
    const auto y = sections_.contains(i)
                       ? sections_.at(i).forward(x, tape)
                       : at::convolution(x, conv_weights_[i], bias, {layer.stride, layer.stride},
                                         {0, 0}, {1, 1}, false, {0, 0}, 1);
    auto image = out.view(y.sizes());
    if (layer.activation == Activation::relu) {
      at::clamp_min_out(image, y, 0);
    } else {
      activate(layer.activation, image.copy_(y));
    }
  }

  void evaluate_heads(const at::Tensor& features, const Heads& out) const {
    const auto write = [&](std::span<float> to, std::int64_t width, std::size_t head) {
      auto host = view(to.data(), {out.batch, width});
      const auto& layer = layers_[firsts_.back() + head];
      const auto input = head_input(features, head);
      if (device_.is_cpu()) {
        at::addmm_out(host, layer.bias, input, layer.weight.t());
      } else {
        host.copy_(at::addmm(layer.bias, input, layer.weight.t()));
      }
    };
    write(out.logits, out.actions, 0);
    if (architecture_.value_head) write(out.value, 1, 1);
  }

  /// The part of the features, or of their gradient, that belongs to the policy head (0) or the
  /// value head (1).
  [[nodiscard]] at::Tensor head_input(const at::Tensor& features, std::size_t head) const {
    if (!architecture_.dueling) return features;
    const auto inputs = architecture_.head_inputs();
    return features.narrow(1, static_cast<std::int64_t>(head) * inputs, inputs);
  }

  static void dense_backward(const at::Tensor& x, const at::Tensor& d_output,
                             const LayerTensors& gradients) {
    auto weight = gradients.weight;
    auto bias = gradients.bias;
    at::mm_out(weight, d_output.t(), x);
    at::sum_out(bias, d_output, {0});
  }

  /// Writes the gradients of the parameters of torso layer i, the first of `gradients`, from the
  /// gradient of its output in the shape that the next layer takes. Returns the gradient of its
  /// input, which is undefined for the first layer.
  at::Tensor layer_backward(std::size_t i, const at::Tensor& d_output,
                            std::span<const LayerTensors> gradients) const {
    const auto& layer = architecture_.torso[i];
    const auto x = recorded_.all(i);
    auto d_linear = activation_backward(layer.activation, d_output, recorded_.all(i + 1));
    if (layer.kind == Layer::Kind::dense) {
      dense_backward(x, d_linear, gradients[0]);
      return i == 0 ? at::Tensor() : at::mm(d_linear, layers_[firsts_[i]].weight);
    }
    const auto& shape = outputs_[i];
    d_linear = d_linear.view({x.size(0), shape[0], shape[1], shape[2]})
                   .contiguous(at::MemoryFormat::ChannelsLast);
    if (sections_.contains(i)) {
      return sections_.at(i).backward(x, d_linear, recorded_, gradients, i != 0);
    }
    auto [d_x, d_weight, d_bias] = at::convolution_backward(
        d_linear, x, conv_weights_[i], layer.units, {layer.stride, layer.stride}, {0, 0}, {1, 1},
        false, {0, 0}, 1, {i != 0, true, true});
    gradients[0].weight.copy_(d_weight);
    gradients[0].bias.copy_(d_bias);
    return d_x;
  }

  Architecture architecture_;
  std::vector<ParameterInfo> infos_;
  std::vector<std::size_t> firsts_;  // as first_tensors()
  std::vector<Shape> outputs_;       // of the torso's layers, for one sample
  Sections sections_;
  at::Device device_;
  std::optional<c10::Stream> stream_;  // on a GPU
  at::Tensor host_;                    // the caller's parameters
  at::Tensor flat_;                    // a copy on the device; on the CPU host_ itself
  std::vector<LayerTensors> layers_;
  std::vector<at::Tensor> conv_weights_;  // of each layer over images, channels last
  Tape passing_;                          // of the latest forward()
  Tape recorded_;                         // of record()
  RecordedHeads heads_;
};

std::unique_ptr<Network> make(const Architecture& architecture, std::span<const float> parameters,
                              const std::string& device, Precision precision) {
  const auto checked = checked_device(device);
  if (precision == Precision::bf16) use_bf16(checked);
  return std::make_unique<TorchNetwork>(architecture, parameters, checked);
}

}  // namespace
}  // namespace tandem

extern "C" [[gnu::visibility("default")]] const tandem::BackendInfo* tandem_backend() {
  tandem::check_release();
  static constexpr tandem::BackendInfo kInfo = {
      .abi = tandem::kBackendAbi, .name = "torch", .make_network = tandem::make};
  return &kInfo;
}
