// Only torch_network.cc includes it: it includes libtorch.
#pragma once

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <optional>
#include <string>

#include "tandem/base/error.h"

namespace tandem {

/// Makes libtorch compute in the calling thread alone. Setting the number of threads once is not
/// enough, because OpenMP keeps it for each thread separately.
inline void keep_to_this_thread() {
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
inline std::optional<c10::Stream> next_stream(at::Device device) {
  if (device.is_cpu()) return std::nullopt;
  const c10::impl::VirtualGuardImpl backend(device.type());
  return backend.getStreamFromGlobalPool(backend.getDevice());
}

/// Keeps convolutions on a GPU from rounding their inputs to TF32, in this process: libtorch has no
/// such setting for one network. The order of their sums stays free, because in cuDNN's fixed order
/// the gradients of 160 samples took 15 times as long (H100). The setting is made once, because
/// other threads read it without a lock.
inline void keep_fp32_on_cuda() {
  static const bool done = (at::globalContext().setAllowTF32CuDNN(false), true);
  (void)done;
}

inline at::Device checked_device(const std::string& device) {
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
inline void use_bf16(at::Device device) {
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

}  // namespace tandem
