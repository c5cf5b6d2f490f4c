// Compares DPG's actions, and the gradients of all parameters of both networks, with those of
// PyTorch's autograd.
#include "tandem/algo/dpg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tandem/nn/action_critic.h"
#include "tandem/nn/composed/deterministic_actor_critic.h"
#include "tandem/nn/composed/dpg_network.h"
#include "tests/golden/golden_network.h"

namespace tandem {
namespace {

std::vector<Layer> torso(const nlohmann::json& units) {
  return {{.units = units[0], .activation = Activation::tanh},
          {.units = units[1], .activation = Activation::relu}};
}

Architecture architecture_of(const nlohmann::json& golden) {
  Architecture architecture{.name = "dpg",
                            .input_dtype = DType::f32,
                            .input_shape = {golden["observations"].get<std::int64_t>()},
                            .torso = torso(golden["policy_hidden"]),
                            .separate = true};
  architecture.action_low = golden["low"].get<std::vector<float>>();
  architecture.action_high = golden["high"].get<std::vector<float>>();
  architecture.critic_torso = torso(golden["critic_hidden"]);
  architecture.normalises_inputs = golden.value("normalised", false);
  architecture.policy_outputs = static_cast<std::int64_t>(architecture.action_low.size());
  return architecture;
}

/// The batch in golden_dpg.py.
struct Batch {
  explicit Batch(const nlohmann::json& golden)
      : samples(golden["samples"]),
        actions(golden_numbers(samples * golden["low"].size(), 5)),
        discounts(samples),
        weights(golden_numbers(samples, 7)),
        returns(golden_numbers(samples, 8)) {
    const std::size_t width = golden["observations"];
    s = golden_numbers(samples * width, 3);
    s_next = golden_numbers(samples * width, 4);
    const std::size_t dims = golden["low"].size();
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const float low = golden["low"][i % dims];
      const float high = golden["high"][i % dims];
      actions[i] = low + (high - low) * (actions[i] + 1) / 2;
    }
    for (std::size_t i = 0; i < samples; ++i) {
      weights[i] = std::abs(weights[i]);
      discounts[i] = golden_bits(static_cast<std::uint32_t>(i), 6) % 3 == 0 ? 0.0F : 0.97F;
    }
  }

  [[nodiscard]] Samples view(std::span<float> priorities = {}) const {
    return {.observations = std::as_bytes(std::span(s)),
            .next_observations = std::as_bytes(std::span(s_next)),
            .controls = actions,
            .n_step_returns = returns,
            .discounts = discounts,
            .weights = weights,
            .priorities = priorities};
  }

  std::size_t samples;
  std::vector<float> s, s_next, actions, discounts, weights, returns;
};

class DpgGolden : public testing::TestWithParam<int> {
 protected:
  const nlohmann::json golden_ = golden_cases("dpg").at(GetParam());
  const Architecture architecture_ = architecture_of(golden_);
  const std::vector<float> theta_ = golden_parameters(architecture_);
  const Batch batch_{golden_};
};

TEST_P(DpgGolden, HeadsAreThePolicysActionAndItsValue) {
  ASSERT_EQ(architecture_.parameter_count(), golden_["parameters"]);
  const auto network = make_dpg_network(architecture_, theta_);
  const auto batch = static_cast<std::int64_t>(batch_.samples);
  std::vector<float> actions(batch_.actions.size());
  std::vector<float> values(batch_.samples);
  const auto observations = batch_.view().observations;
  network->forward({observations}, {batch, architecture_.policy_outputs, actions, values});
  expect_near(actions, golden_["actions"], "actions");
  expect_near(values, golden_["values"], "values");

  std::vector<float> judged(batch_.samples);
  network->critic()->judge_actions(observations, actions, judged);
  EXPECT_EQ(judged, values);
}

// Seen failing with the tanh left out of the chain rule, without the clipping, with next actions of
// the policy that learns, and with importance weights in the policy's gradient.
TEST_P(DpgGolden, LossesGradientsAndPrioritiesAreThoseOfPyTorch) {
  SCOPED_TRACE(golden_["name"].get<std::string>());
  ASSERT_GE(golden_["terminals"], 1);
  const auto target = golden_parameters(architecture_, 2);
  EnvSpec spec;
  spec.action_low = architecture_.action_low;
  spec.action_high = architecture_.action_high;
  const auto gradient_of =
      make_dpg({.clip = golden_["clip"]}, spec)
          .replay()
          .make_gradient(
              [&](std::span<const float> theta) { return make_dpg_network(architecture_, theta); },
              theta_, target);
  std::vector<float> gradient(theta_.size(), std::nanf(""));
  std::vector<float> priorities(batch_.samples);
  // The second pass reuses the buffers of the first.
  for (int i = 0; i < 2; ++i) {
    const auto stats =
        gradient_of->differentiate(batch_.view(priorities), golden_["weight"], gradient);
    expect_near(priorities, golden_["priorities"], "priorities");
    expect_near(stats.value_loss, golden_["value_loss"], 0, "value loss");
    expect_near(stats.policy_loss, golden_["policy_loss"], 0, "policy loss");
    expect_near(stats.q, golden_["q"], 0, "q");
    EXPECT_EQ(stats.samples, static_cast<double>(batch_.samples));
    const auto infos = architecture_.parameters();
    ASSERT_EQ(infos.size(), golden_["gradients"].size());
    for (std::size_t k = 0; k < infos.size(); ++k) {
      expect_gradient(std::span(gradient).subspan(infos[k].offset, infos[k].count),
                      golden_["gradients"][k], infos[k].name);
    }
  }
}

// Computes q and its slope through the interface of DeterministicActorCritic.
TEST_P(DpgGolden, TheCriticsSlopeInTheActionIsThatOfPyTorch) {
  DeterministicActorCritic networks(architecture_, theta_);
  std::vector<float> scaled(batch_.actions.size());
  std::vector<float> slope(batch_.actions.size());
  std::vector<float> q(batch_.samples);
  networks.differentiate_by_action(batch_.view().observations, scaled, q, slope);
  expect_near(q, golden_["values"], "values");
  expect_near(slope, golden_["dq_da"], "dq/da");
}

INSTANTIATE_TEST_SUITE_P(All, DpgGolden, golden_indices("dpg"), GoldenName{"dpg"});

}  // namespace
}  // namespace tandem
