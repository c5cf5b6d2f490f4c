// Compares LSTM networks with PyTorch's LSTMCell and autograd over rollouts in which episodes
// begin. Any library may compute the torso. Seen failing with no cut at the beginning of an
// episode, with a cut of its memory alone, and with the gates in another order.
#include "tandem/nn/make_network.h"
#include "tests/golden/golden_network.h"

namespace tandem {
namespace {

/// The inputs of `lstm_case` in golden_networks.py.
class GoldenRollout {
 public:
  GoldenRollout(const nlohmann::json& golden, const Architecture& architecture)
      : steps_(golden["steps"]),
        envs_(golden["batch"]),
        actions_(architecture.policy_outputs),
        observations_(golden_observations(architecture, steps_ * envs_)),
        logits_(steps_ * envs_ * actions_),
        value_(steps_ * envs_),
        episode_starts_(steps_ * envs_),
        state_(golden_numbers(envs_ * architecture.state_size(), 6)) {
    for (std::size_t i = 0; i < episode_starts_.size(); ++i) {
      episode_starts_[i] = golden_bits(static_cast<std::uint32_t>(i), 5) % 5 == 0 ? 1 : 0;
    }
  }

  /// Passes all steps to record(), or to forward() if they are not to be recorded.
  void play(Network& network, bool recorded) {
    const auto bytes = static_cast<std::int64_t>(observations_.size()) / steps_;
    for (std::int64_t t = 0; t < steps_; ++t) {
      const auto row = [&](auto& all, std::int64_t width) {
        return std::span(all).subspan(t * envs_ * width, envs_ * width);
      };
      const Inputs inputs{std::span(observations_).subspan(t * bytes, bytes), state_,
                          row(episode_starts_, 1)};
      const Heads heads{envs_, actions_, row(logits_, actions_), row(value_, 1)};
      recorded ? network.record(inputs, heads) : network.forward(inputs, heads);
    }
  }

  [[nodiscard]] std::span<const float> logits() const { return logits_; }
  [[nodiscard]] std::span<const float> value() const { return value_; }
  [[nodiscard]] std::span<const float> state() const { return state_; }

 private:
  std::int64_t steps_, envs_, actions_;
  std::vector<std::byte> observations_;
  std::vector<float> logits_, value_;
  std::vector<std::uint8_t> episode_starts_;
  std::vector<float> state_;
};

class LstmGolden : public testing::TestWithParam<int> {};

TEST_P(LstmGolden, HeadsStatesAndGradientsAreThoseOfPyTorch) {
  const auto golden = golden_cases("lstm").at(GetParam());
  SCOPED_TRACE(golden["name"].get<std::string>());
  ASSERT_GE(golden["begins"], 1);
  const auto architecture = golden_architecture(golden);
  ASSERT_EQ(architecture.parameter_count(), golden["parameters"]);
  const auto parameters = golden_parameters(architecture);
  const auto network = make_network(architecture, parameters, "cpu", Precision::fp32);
  for (const bool recorded : {false, true}) {
    GoldenRollout rollout(golden, architecture);
    rollout.play(*network, recorded);
    expect_near(rollout.logits(), golden["logits"], "logits");
    expect_near(rollout.value(), golden["value"], "value");
    expect_near(rollout.state(), golden["state"], "state");
  }

  std::vector<float> gradient(parameters.size(), std::nanf(""));
  network->backward(
      [&](const Heads& heads, const Heads& d) {
        expect_near(heads.logits, golden["logits"], "recorded logits");
        expect_near(heads.value, golden["value"], "recorded value");
        std::ranges::copy(golden_numbers(d.logits.size(), 3), d.logits.begin());
        std::ranges::copy(golden_numbers(d.value.size(), 4), d.value.begin());
      },
      gradient);
  const auto infos = architecture.parameters();
  ASSERT_EQ(infos.size(), golden["gradients"].size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    expect_gradient(std::span(gradient).subspan(infos[i].offset, infos[i].count),
                    golden["gradients"][i], infos[i].name);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LstmGolden, golden_indices("lstm"), GoldenName{"lstm"});

}  // namespace
}  // namespace tandem
