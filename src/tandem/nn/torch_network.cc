// The only file that sees libtorch. It includes single operators instead of all of torch.h, which
// takes many times longer to compile, and goes backward by hand, layer by layer: at the batch sizes
// of acting and learning on a CPU, building an autograd graph costs a noticeable share. No fmt
// here: libtorch brings another version of its headers along.

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/threshold_backward.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <malloc.h>

#include <limits>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/nn/network.h"
#include "tandem/nn/pixels.h"

namespace tandem {
namespace {

/// Whatever thread calls, libtorch computes in it alone. Setting the number once is not enough:
/// OpenMP keeps it per thread.
void keep_to_this_thread() {
  thread_local const bool done = (at::set_num_threads(1), true);
  (void)done;
}

at::Tensor view(float* data, at::IntArrayRef shape) { return at::from_blob(data, shape); }

struct LayerTensors {
  at::Tensor weight;
  at::Tensor bias;
};

/// Weight and bias of each layer, as views of a flat buffer.
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

at::Device checked_device(const std::string& device) {
  if (device == "cpu") return at::kCPU;
  if (device != "cuda") {
    throw Error("device: unknown device '" + device + "'; use cpu or cuda");
  }
  if (!at::hasCUDA()) {
    throw Error(
        "device: 'cuda' asked for, but this libtorch has no CUDA or finds no GPU; use --device "
        "cpu, or build against a CUDA build of torch on a machine with an NVIDIA driver");
  }
  return at::kCUDA;
}

class TorchNetwork final : public Network {
 public:
  TorchNetwork(const Architecture& architecture, std::span<const float> parameters,
               at::Device device)
      : architecture_(architecture), infos_(architecture.parameters()), device_(device) {
    keep_to_this_thread();
    const c10::InferenceMode inference;
    // Never written through: views need a plain pointer.
    host_ =
        view(const_cast<float*>(parameters.data()), static_cast<std::int64_t>(parameters.size()));
    flat_ = host_.to(device_);
    layers_ = layers_of(infos_, flat_);
    reload();
  }

  void forward(std::span<const std::byte> observations, const Heads& out) override {
    keep_to_this_thread();
    const c10::InferenceMode inference;
    auto x = input(observations, out.batch);
    for (std::size_t i = 0; i < architecture_.torso.size(); ++i) x = apply(i, as_input(i, x));
    heads(x.flatten(1), out);
  }

  void gradient(std::span<const std::byte> observations, std::int64_t batch, const HeadLoss& loss,
                std::span<float> gradient) override {
    keep_to_this_thread();
    const c10::InferenceMode inference;
    const auto& torso = architecture_.torso;
    std::vector<at::Tensor> inputs;   // of each torso layer
    std::vector<at::Tensor> outputs;  // of each torso layer, behind its ReLU
    auto x = input(observations, batch);
    for (std::size_t i = 0; i < torso.size(); ++i) {
      inputs.push_back(as_input(i, x));
      x = apply(i, inputs.back());
      outputs.push_back(x);
    }
    const auto features = x.flatten(1);

    resize_head_buffers(batch);
    const auto actions = architecture_.num_actions;
    const Heads head_values{batch, actions, logits_, value_};
    const Heads head_gradient{batch, actions, logits_gradient_, value_gradient_};
    heads(features, head_values);
    loss(head_values, head_gradient);

    auto host_gradient = view(gradient.data(), static_cast<std::int64_t>(gradient.size()));
    auto flat_gradient = device_.is_cpu() ? host_gradient : at::empty_like(flat_);
    const auto gradients = layers_of(infos_, flat_gradient);
    const auto policy = torso.size();
    const auto d_logits = view(logits_gradient_.data(), {batch, actions}).to(device_);
    const auto d_value = view(value_gradient_.data(), {batch, 1}).to(device_);
    dense_backward(features, d_logits, gradients[policy]);
    dense_backward(features, d_value, gradients[policy + 1]);
    auto d_output = at::mm(d_logits, layers_[policy].weight);
    if (!torso.empty()) d_output.addmm_(d_value, layers_[policy + 1].weight);
    for (std::size_t i = torso.size(); i > 0; --i) {
      d_output = backward(i - 1, inputs[i - 1], outputs[i - 1], d_output, gradients[i - 1]);
    }
    if (!device_.is_cpu()) host_gradient.copy_(flat_gradient);
  }

  void reload() override {
    keep_to_this_thread();
    const c10::InferenceMode inference;
    if (!device_.is_cpu()) flat_.copy_(host_);  // on the CPU it is the caller's buffer
    conv_weights_.clear();
    for (std::size_t i = 0; i < architecture_.torso.size(); ++i) {
      if (architecture_.torso[i].kind != Layer::Kind::conv) break;
      conv_weights_.push_back(layers_[i].weight.contiguous(at::MemoryFormat::ChannelsLast));
    }
  }

 private:
  at::Tensor input(std::span<const std::byte> observations, std::int64_t batch) const {
    auto shape = architecture_.input_shape;
    shape.insert(shape.begin(), batch);
    auto* data = const_cast<std::byte*>(observations.data());
    if (architecture_.input_dtype == DType::f32) {
      return at::from_blob(data, shape, at::kFloat).to(device_);
    }
    if (device_.is_cpu() && shape.size() == 4) {
      auto x = at::empty(shape, at::kFloat, at::MemoryFormat::ChannelsLast);
      scale_channels_last(observations, batch, shape[1], shape[2] * shape[3], x.data_ptr<float>());
      return x;
    }
    return at::from_blob(data, shape, at::kByte).to(device_).to(at::kFloat).div_(255.0f);
  }

  /// x as torso layer i takes it: a dense layer's in the order of a flat observation.
  [[nodiscard]] at::Tensor as_input(std::size_t i, const at::Tensor& x) const {
    return architecture_.torso[i].kind == Layer::Kind::dense ? x.flatten(1) : x;
  }

  /// Output of torso layer i, behind its ReLU.
  at::Tensor apply(std::size_t i, const at::Tensor& x) const {
    const auto& layer = architecture_.torso[i];
    const auto& [weight, bias] = layers_[i];
    auto y = layer.kind == Layer::Kind::dense
                 ? at::addmm(bias, x, weight.t())
                 : at::convolution(x, conv_weights_[i], bias, {layer.stride, layer.stride}, {0, 0},
                                   {1, 1}, false, {0, 0}, 1);
    return y.relu_();
  }

  void heads(const at::Tensor& features, const Heads& out) const {
    const auto policy = architecture_.torso.size();
    const auto write = [&](std::span<float> to, std::int64_t width, const LayerTensors& layer) {
      auto host = view(to.data(), {out.batch, width});
      if (device_.is_cpu()) {
        at::addmm_out(host, layer.bias, features, layer.weight.t());
      } else {
        host.copy_(at::addmm(layer.bias, features, layer.weight.t()));
      }
    };
    write(out.logits, out.actions, layers_[policy]);
    write(out.value, 1, layers_[policy + 1]);
  }

  static void dense_backward(const at::Tensor& x, const at::Tensor& d_output,
                             const LayerTensors& gradients) {
    auto weight = gradients.weight;
    auto bias = gradients.bias;
    at::mm_out(weight, d_output.t(), x);
    at::sum_out(bias, d_output, {0});
  }

  /// Writes the gradients of torso layer i and returns the gradient of its input (of no use, and
  /// not computed, for the first layer).
  at::Tensor backward(std::size_t i, const at::Tensor& x, const at::Tensor& y,
                      const at::Tensor& d_output, const LayerTensors& gradients) const {
    const auto& layer = architecture_.torso[i];
    const auto& weight = layers_[i].weight;
    const auto d_linear = at::threshold_backward(
        d_output.view(y.sizes()).contiguous(y.suggest_memory_format()), y, 0);
    if (layer.kind == Layer::Kind::dense) {
      dense_backward(x, d_linear, gradients);
      return i == 0 ? at::Tensor() : at::mm(d_linear, weight);
    }
    auto [d_x, d_weight, d_bias] = at::convolution_backward(
        d_linear, x, conv_weights_[i], layer.units, {layer.stride, layer.stride}, {0, 0}, {1, 1},
        false, {0, 0}, 1, {i != 0, true, true});
    gradients.weight.copy_(d_weight);
    gradients.bias.copy_(d_bias);
    return d_x;
  }

  void resize_head_buffers(std::int64_t batch) {
    for (auto* buffer : {&logits_, &logits_gradient_}) {
      buffer->resize(batch * architecture_.num_actions);
    }
    for (auto* buffer : {&value_, &value_gradient_}) buffer->resize(batch);
  }

  Architecture architecture_;
  std::vector<ParameterInfo> infos_;
  at::Device device_;
  at::Tensor host_;  // the caller's parameters
  at::Tensor flat_;  // the same on the device; host_ itself on the CPU
  std::vector<LayerTensors> layers_;
  std::vector<at::Tensor> conv_weights_;  // channels last
  std::vector<float> logits_, value_, logits_gradient_, value_gradient_;
};

}  // namespace

void prepare_torch() {
  keep_to_this_thread();
  at::set_num_interop_threads(1);
  // Batches of activations are larger than what malloc keeps by default: it would map and clear
  // them anew at every call, which costs as much as computing them.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

std::unique_ptr<Network> make_torch_network(const Architecture& architecture,
                                            std::span<const float> parameters,
                                            const std::string& device) {
  return std::make_unique<TorchNetwork>(architecture, parameters, checked_device(device));
}

}  // namespace tandem
