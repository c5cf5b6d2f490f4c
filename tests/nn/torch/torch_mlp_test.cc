// Compares the networks in plain C++ with libtorch's.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tandem/nn/composed/mlp.h"
#include "tandem/nn/make_network.h"
#include "tandem/nn/network.h"
#include "tandem/nn/torch/torch_network.h"
#include "tests/support/random_numbers.h"

namespace tandem {
namespace {

Architecture dpg() {
  EnvSpec spec;
  spec.frame_shape = {67};
  spec.action_low = std::vector<float>(21, -1);
  spec.action_high = std::vector<float>(21, 1);
  return make_architecture({.arch = "dpg", .init = "torch"}, spec);
}

// Both networks of Ape-X DPG, with tanh in some layers, in the sizes that suit the humanoid.
TEST(TorchMlp, OutputsAndGradientsAreThoseOfLibtorch) {
  const auto architecture = dpg();
  for (const auto& part : {architecture.policy_part(), architecture.value_part()}) {
    constexpr std::int64_t kBatch = 6;
    std::vector<float> parameters(static_cast<std::size_t>(part.parameter_count()));
    Stream stream(1, 2);
    initialise(part, stream, parameters);
    const auto x = random_numbers(kBatch * part.input_shape[0], 3);
    const auto outputs = static_cast<std::size_t>(kBatch * part.policy_outputs);
    const auto d = random_numbers(outputs, 4);
    std::vector<float> expected(outputs);
    std::vector<float> expected_gradient(parameters.size());
    const auto torch = make_torch_network(part, parameters, "cpu");
    torch->record({std::as_bytes(std::span(x))}, {kBatch, part.policy_outputs, expected, {}});
    torch->backward(
        [&](const Heads&, const Heads& out) { std::ranges::copy(d, out.logits.begin()); },
        expected_gradient);

    Mlp mlp(part, parameters);
    std::vector<float> actual(outputs);
    std::vector<float> gradient(parameters.size());
    mlp.record(x, actual);
    mlp.backward(d, gradient);
    for (std::size_t i = 0; i < outputs; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      ASSERT_NEAR(gradient[i], expected_gradient[i], 1e-5) << i;
    }
  }
}

TEST(TorchMlp, ADeterministicPolicyIsMadeInPlainCode) {
  const auto architecture = dpg();
  const std::vector<float> parameters(static_cast<std::size_t>(architecture.parameter_count()));
  const auto network = make_network(architecture, parameters, "cpu", Precision::fp32);
  EXPECT_EQ(network->architecture().policy_outputs, 21);
  EXPECT_THROW(make_network(architecture, parameters, "cuda", Precision::fp32), Error);
  EXPECT_THROW(make_network(architecture, parameters, "cpu", Precision::bf16), Error);
}

}  // namespace
}  // namespace tandem
