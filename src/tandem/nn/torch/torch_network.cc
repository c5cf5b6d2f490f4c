// The backend tandem_torch.so; it and tape.h alone include libtorch. They include single
// operators instead of all of torch.h, which takes many times longer to compile. It computes the
// backward pass by hand, layer by layer: at the batch sizes of acting and learning on a CPU,
// building an autograd graph costs a noticeable share of the time. It uses no fmt, because libtorch
// brings another version of its headers.

#include <ATen/Context.h>
#include <ATen/Parallel.h>
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
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/accumulate.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/nn/backend.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/kernels/pixels.h"
#include "tandem/nn/torch/tape.h"

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

/// Makes libtorch compute in the calling thread alone. Setting the number of threads once is not
/// enough, because OpenMP keeps it for each thread separately.
void keep_to_this_thread() {
  thread_local const bool done = (at::set_num_threads(1), true);
  (void)done;
}

/// One call of a network: it computes in the calling thread, records nothing for autograd and, on a
/// GPU, uses the network's stream. On one common stream a predictor's small batch would wait for
/// all kernels of a trainer's large one.
class Call {
 public:
  explicit Call(std::optional<c10::Stream> stream) : stream_(stream) { keep_to_this_thread(); }

 private:
  c10::InferenceMode inference_;
  c10::OptionalStreamGuard stream_;
};

/// The next of libtorch's 32 streams of a GPU, which networks take in turn.
std::optional<c10::Stream> next_stream(at::Device device) {
  if (device.is_cpu()) return std::nullopt;
  const c10::impl::VirtualGuardImpl backend(device.type());
  return backend.getStreamFromGlobalPool(backend.getDevice());
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

/// Keeps convolutions on a GPU from rounding their inputs to TF32, in this process: libtorch has no
/// such setting for one network. The order of their sums stays free, because in cuDNN's fixed order
/// the gradients of 160 samples took 15 times as long (H100). The setting is made once, because
/// other threads read it without a lock.
void keep_fp32_on_cuda() {
  static const bool done = (at::globalContext().setAllowTF32CuDNN(false), true);
  (void)done;
}

at::Device checked_device(const std::string& device) {
  if (device == "cpu") return at::kCPU;
  if (device != "cuda") {
    throw Error("device: unknown device '" + device + "'; use cpu or cuda");
  }
  if (!at::hasCUDA()) {
    throw Error(
        "device: 'cuda' asked for, but this libtorch has no CUDA or finds no GPU; use --device "
        "cpu, or take a CUDA build of torch on a machine with an NVIDIA driver");
  }
  keep_fp32_on_cuda();
  return at::kCUDA;
}

/// Makes libtorch round the inputs of convolutions to bfloat16 and, if its oneDNN computes them,
/// those of matrix products, in this process. There is no such setting for CUDA.
void use_bf16(at::Device device) {
  if (!device.is_cpu()) {
    throw Error(
        "net.precision: 'bf16' is computed on the CPU only; use net.precision = \"fp32\" with "
        "--device cuda");
  }
  static const bool done = [] {
    for (const auto op : {at::Float32Op::CONV, at::Float32Op::MATMUL}) {
      at::globalContext().setFloat32Precision(at::Float32Backend::MKLDNN, op,
                                              at::Float32Precision::BF16);
    }
    return true;
  }();
  (void)done;
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

/// The shapes of one sample's inputs to each layer of the torso, then to the heads. Dense layers
/// take images as flat vectors in PyTorch's order.
std::vector<Shape> input_shapes(const Architecture& architecture) {
  auto shapes = architecture.output_shapes();
  shapes.insert(shapes.begin(), architecture.input_shape);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const bool conv =
        i < architecture.torso.size() && architecture.torso[i].kind == Layer::Kind::conv;
    if (!conv) shapes[i] = {c10::multiply_integers(shapes[i])};
  }
  return shapes;
}

class TorchNetwork final : public Network {
 public:
  TorchNetwork(const Architecture& architecture, std::span<const float> parameters,
               at::Device device)
      : architecture_(architecture),
        infos_(architecture.parameters()),
        outputs_(architecture.output_shapes()),
        device_(device),
        stream_(next_stream(device)),
        passing_(input_shapes(architecture), device),
        recorded_(input_shapes(architecture), device),
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
      dense_backward(head_input(features, head), d_head, gradients[policy + head]);
      head_input(d_output, head).addmm_(d_head, layers_[policy + head].weight);
    };
    head_back(0, d_logits);
    if (architecture_.value_head) head_back(1, view(d.value.data(), {d.batch, 1}).to(device_));
    for (std::size_t i = policy; i > 0; --i) {
      d_output = layer_backward(i - 1, d_output, gradients[i - 1]);
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
      if (architecture_.torso[i].kind != Layer::Kind::conv) break;
      conv_weights_.push_back(layers_[i].weight.contiguous(at::MemoryFormat::ChannelsLast));
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
      apply(i, tape.latest(i), tape.latest(i + 1));
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
  void apply(std::size_t i, const at::Tensor& x, at::Tensor out) const {
    const auto& layer = architecture_.torso[i];
    const auto& [weight, bias] = layers_[i];
    if (layer.kind == Layer::Kind::dense) {
      at::addmm_out(out, bias, x, weight.t());
      return activate(layer.activation, out);
    }
    const auto y = at::convolution(x, conv_weights_[i], bias, {layer.stride, layer.stride}, {0, 0},
                                   {1, 1}, false, {0, 0}, 1);
    auto image = out.view(y.sizes());
    if (layer.activation == Activation::relu) {
      at::clamp_min_out(image, y, 0);
    } else {
      activate(layer.activation, image.copy_(y));
    }
  }

  void evaluate_heads(const at::Tensor& features, const Heads& out) const {
    const auto policy = architecture_.torso.size();
    const auto write = [&](std::span<float> to, std::int64_t width, std::size_t head) {
      auto host = view(to.data(), {out.batch, width});
      const auto& layer = layers_[policy + head];
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

  /// Writes the gradients of the parameters of torso layer i, from the gradient of its output in
  /// the shape that the next layer takes. Returns the gradient of its input, which is undefined for
  /// the first layer.
  at::Tensor layer_backward(std::size_t i, const at::Tensor& d_output,
                            const LayerTensors& gradients) const {
    const auto& layer = architecture_.torso[i];
    const auto x = recorded_.all(i);
    auto d_linear = activation_backward(layer.activation, d_output, recorded_.all(i + 1));
    if (layer.kind == Layer::Kind::dense) {
      dense_backward(x, d_linear, gradients);
      return i == 0 ? at::Tensor() : at::mm(d_linear, layers_[i].weight);
    }
    const auto& shape = outputs_[i];
    d_linear = d_linear.view({x.size(0), shape[0], shape[1], shape[2]})
                   .contiguous(at::MemoryFormat::ChannelsLast);
    auto [d_x, d_weight, d_bias] = at::convolution_backward(
        d_linear, x, conv_weights_[i], layer.units, {layer.stride, layer.stride}, {0, 0}, {1, 1},
        false, {0, 0}, 1, {i != 0, true, true});
    gradients.weight.copy_(d_weight);
    gradients.bias.copy_(d_bias);
    return d_x;
  }

  Architecture architecture_;
  std::vector<ParameterInfo> infos_;
  std::vector<Shape> outputs_;  // of the torso's layers, for one sample
  at::Device device_;
  std::optional<c10::Stream> stream_;  // on a GPU
  at::Tensor host_;                    // the caller's parameters
  at::Tensor flat_;                    // a copy on the device; on the CPU host_ itself
  std::vector<LayerTensors> layers_;
  std::vector<at::Tensor> conv_weights_;  // channels last
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
