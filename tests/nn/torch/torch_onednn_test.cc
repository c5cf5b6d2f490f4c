// Compares the results of oneDNN with those of libtorch.
#include <tuple>

#include "tandem/env/family.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/onednn/onednn_network.h"
#include "tandem/nn/torch/torch_network.h"
#include "tests/nn/torch/recorded_batch.h"
#include "tests/support/plugin_path.h"

namespace tandem {
namespace {

/// The observations of 80 steps of Pong or, without the plug-in, of Catch.
Batch played_batch() {
  const bool atari = has_plugin("atari");
  const std::string id = atari ? "atari:Pong" : "catch";
  const std::shared_ptr<EnvFamily> family = find_family(id);
  const auto name = atari ? "Pong" : "catch";
  VecEnv env([&](int) { return family->make(name, 1); }, {.seed = 2});
  Batch batch{env.spec(), 80, {}};
  const auto bytes = env.spec().observation_bytes();
  batch.observations.resize(batch.samples * bytes);
  const auto observation = [&](std::int64_t i) {
    return std::span(batch.observations).subspan(i * bytes, bytes);
  };
  env.reset(observation(0));
  for (std::int64_t i = 1; i < batch.samples; ++i) {
    const Action action{.discrete = static_cast<std::int32_t>(env.stream(0).below(
                            static_cast<std::uint32_t>(batch.spec.num_actions)))};
    env.step(std::span(&action, 1), observation(i));
  }
  return batch;
}

class TorchAndOnednn : public testing::TestWithParam<std::tuple<std::string, bool>> {};

// Seen failing when the weights' gradients of all tiles but the first were left out.
TEST_P(TorchAndOnednn, AgreeOnHeadsAndOnTheGradientOfEachTensor) {
  const auto [arch, played] = GetParam();
  const auto batch = played ? played_batch() : random_batch();
  const auto architecture = make_architecture({.arch = arch, .init = "torch"}, batch.spec);
  std::vector<float> parameters(architecture.parameter_count());
  Stream stream(7, 8);
  initialise(architecture, stream, parameters);
  const Result torch(*make_torch_network(architecture, parameters, "cpu"), architecture, batch);
  const Result onednn(*make_onednn_network(architecture, parameters, Precision::fp32), architecture,
                      batch);
  EXPECT_LT(distance(onednn.logits, torch.logits), 1e-5);
  EXPECT_LT(distance(onednn.value, torch.value), 1e-5);
  // Rounding decides which of two nearly equal numbers is a pool's maximum, and gets the gradient.
  const double near = arch == "impala" ? 0.02 : 1e-5;
  for (const auto& info : architecture.parameters()) {
    EXPECT_LT(distance(onednn.gradient_of(info), torch.gradient_of(info)), near) << info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, TorchAndOnednn,
                         testing::Combine(testing::Values("nips", "nature", "large3", "linear_conv",
                                                          "impala", "mlp"),
                                          testing::Bool()),
                         [](const auto& info) {
                           return std::get<0>(info.param) +
                                  (std::get<1>(info.param) ? "_played" : "_random");
                         });

}  // namespace
}  // namespace tandem
