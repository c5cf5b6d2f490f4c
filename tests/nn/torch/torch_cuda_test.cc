// The networks of libtorch on a GPU. On a machine without one no test of this file runs.
#include <string>
#include <vector>

#include "tandem/nn/torch/torch_network.h"
#include "tests/nn/torch/has_gpu.h"
#include "tests/nn/torch/recorded_batch.h"

namespace tandem {
namespace {

/// `all` where there is a GPU, else nothing.
template <class T>
std::vector<T> with_gpu(std::vector<T> all) {
  return has_gpu() ? all : std::vector<T>();
}

const NetworkCase kCuda = {
    .name = "fp32",
    .make = [](const auto& architecture,
               auto parameters) { return make_torch_network(architecture, parameters, "cuda"); },
    .same_bits = false};  // convolutions sum in an order that varies

INSTANTIATE_TEST_SUITE_P(Cuda, NetworkContract, testing::ValuesIn(with_gpu<NetworkCase>({kCuda})),
                         network_name);

class CudaAndCpu : public testing::TestWithParam<std::string> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CudaAndCpu);

// Seen failing while the convolutions on the GPU rounded their inputs to TF32.
TEST_P(CudaAndCpu, AgreeOnHeadsAndOnTheGradientOfEachTensor) {
  const auto batch = random_batch();
  const auto architecture =
      make_architecture({.arch = GetParam(), .init = "torch", .pixel_mean = 0.4}, batch.spec);
  std::vector<float> parameters(architecture.parameter_count());
  Stream stream(7, 8);
  initialise(architecture, stream, parameters);
  const auto result = [&](const char* device) {
    return Result(*make_torch_network(architecture, parameters, device), architecture, batch);
  };
  const auto cpu = result("cpu");
  const auto cuda = result("cuda");
  EXPECT_LT(distance(cuda.logits, cpu.logits), 1e-5);
  EXPECT_LT(distance(cuda.value, cpu.value), 1e-5);
  // Rounding decides which of two nearly equal numbers is a pool's maximum, and gets the gradient.
  const double near = GetParam() == "impala" ? 0.02 : 1e-5;
  for (const auto& info : architecture.parameters()) {
    EXPECT_LT(distance(cuda.gradient_of(info), cpu.gradient_of(info)), near) << info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CudaAndCpu,
                         testing::ValuesIn(with_gpu<std::string>(
                             {"nips", "nature", "large3", "linear_conv", "impala", "mlp"})));

}  // namespace
}  // namespace tandem
