#include "tandem/nn/composed/dpg_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "tandem/nn/action_critic.h"
#include "tests/support/random_numbers.h"

namespace tandem {
namespace {

constexpr std::size_t kDpgSamples = 3;

/// A small network without ReLUs, whose slopes jump and would spoil finite differences.
Architecture small_dpg() {
  auto architecture =
      make_architecture({.arch = "dpg", .init = "ddpg"},
                        {.frame_shape = {4}, .action_low = {-1, 0}, .action_high = {1, 10}});
  architecture.torso = {{.units = 9, .activation = Activation::tanh}};
  architecture.critic_torso = {{.units = 7, .activation = Activation::tanh},
                               {.units = 5, .activation = Activation::tanh}};
  return architecture;
}

class DpgNetworkTest : public testing::Test {
 protected:
  Heads heads() { return {kDpgSamples, 2, actions_, values_}; }

  /// A loss of actions and values, summed in double precision.
  double loss() {
    network_->forward({std::as_bytes(std::span(observations_))}, heads());
    double sum = 0;
    for (std::size_t i = 0; i < actions_.size(); ++i) sum += slopes_[i] * double{actions_[i]};
    for (std::size_t i = 0; i < kDpgSamples; ++i)
      sum += 0.5 * double{values_[i]} * double{values_[i]};
    return sum;
  }

  const Architecture architecture_ = small_dpg();
  std::vector<float> parameters_ =
      random_numbers(static_cast<std::size_t>(architecture_.parameter_count()), 1);
  std::unique_ptr<Network> network_ = make_dpg_network(architecture_, parameters_);
  std::vector<float> observations_ = random_numbers(kDpgSamples * 4, 2);
  std::vector<float> slopes_ = random_numbers(kDpgSamples * 2, 3);
  std::vector<float> actions_ = std::vector<float>(kDpgSamples * 2);
  std::vector<float> values_ = std::vector<float>(kDpgSamples);
};

// Seen failing without the gradient that flows from the value through the action to the policy, and
// without the scale of the actions.
TEST_F(DpgNetworkTest, TheGradientOfALossAtItsHeadsIsThatOfDifferences) {
  const auto bytes = std::as_bytes(std::span(observations_));
  std::vector<float> gradient(parameters_.size(), std::nanf(""));
  for (int repeat = 0; repeat < 2; ++repeat) {
    network_->record({bytes.first(16)},
                     {1, 2, std::span(actions_).first(2), std::span(values_).first(1)});
    network_->record({bytes.subspan(16)},
                     {2, 2, std::span(actions_).subspan(2), std::span(values_).subspan(1)});
    network_->backward(
        [&](const Heads& recorded, const Heads& d) {
          ASSERT_EQ(recorded.batch, kDpgSamples);
          std::ranges::copy(slopes_, d.logits.begin());
          std::ranges::copy(recorded.value, d.value.begin());
        },
        gradient);
  }
  constexpr float kStep = 1e-2F;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const float before = parameters_[k];
    parameters_[k] = before + kStep;
    const double above = loss();
    parameters_[k] = before - kStep;
    const double slope = (above - loss()) / (2 * double{kStep});
    parameters_[k] = before;
    EXPECT_NEAR(gradient[k], slope, 2e-3 * (1 + std::abs(slope))) << "parameter " << k;
  }
}

TEST_F(DpgNetworkTest, ItsValueIsItsCriticsJudgementOfItsActions) {
  const auto bytes = std::as_bytes(std::span(observations_));
  network_->forward({bytes}, heads());
  std::vector<float> judged(kDpgSamples);
  network_->critic()->judge_actions(bytes, actions_, judged);
  EXPECT_EQ(judged, values_);
}

}  // namespace
}  // namespace tandem
