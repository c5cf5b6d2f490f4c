#include "tandem/nn/torch/torch_network.h"

#include "tandem/base/error.h"
#include "tests/nn/network_contract.h"
#include "tests/nn/torch/has_gpu.h"

namespace tandem {
namespace {

INSTANTIATE_TEST_SUITE_P(Torch, NetworkContract,
                         testing::Values(NetworkCase{"fp32",
                                                     [](const auto& architecture, auto parameters) {
                                                       return make_torch_network(architecture,
                                                                                 parameters, "cpu");
                                                     }}),
                         network_name);

TEST(TorchNetwork, SaysWhatToDoWithoutTheDevice) {
  Atari atari;
  EXPECT_THAT([&] { make_torch_network(atari.architecture, atari.parameters, "tpu"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("use cpu or cuda")));
  try {
    make_torch_network(atari.architecture, atari.parameters, "cuda");
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--device cpu"));
    return;
  }
  GTEST_SKIP() << "this machine has a GPU";
}

TEST(TorchNetwork, SaysWhatToDoAboutBf16OnAGpu) {
  Atari atari;
  try {
    make_torch_network(atari.architecture, atari.parameters, "cuda", Precision::bf16);
    FAIL() << "no error";
  } catch (const Error& error) {
    const auto* says = has_gpu() ? "use net.precision" : "--device cpu";
    EXPECT_THAT(error.what(), testing::HasSubstr(says));
  }
}

}  // namespace
}  // namespace tandem
