// ApexPolicy chooses and judges continuous actions, for which it needs the critic.
#include "tandem/systems/apex/apex_policy.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "tandem/algo/dpg.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/learn/shared_model.h"
#include "tandem/nn/action_critic.h"
#include "tests/support/scenario.h"

namespace tandem {
namespace {

constexpr std::size_t kEnvs = 3;
using Observations = std::array<float, kEnvs * 3>;

class ApexPolicyTest : public testing::Test {
 protected:
  void with_policy(double sigma, const std::function<void(ApexPolicy&, Network&)>& body) {
    const auto make_env = [](int) { return make_builtin_family()->make("pendulum", 0); };
    const auto spec = make_env(0)->spec();
    const DpgConfig dpg = {.sigma = sigma};
    tandem::train(Scenario{.folder = root_.path() / "run",
                           .make_env = make_env,
                           .make_algorithm = [&] { return make_dpg(dpg, spec); },
                           .deterministic = true},
                  [&](TrainingContext& context) {
                    SharedModel model(context.learner);
                    ApexPolicy policy(*context.algorithm.acting,
                                      NetworkCopy(model, context.actor.make_network), spec, kEnvs);
                    sigmas_.fill(context.algorithm.acting->epsilon(0, 0, 0));
                    const auto network = context.actor.make_network(context.learner.parameters());
                    body(policy, *network);
                  });
  }

  [[nodiscard]] std::span<const std::byte> observations() const {
    return std::as_bytes(std::span(observations_));
  }

  [[nodiscard]] Decisions act(ApexPolicy& policy) {
    return policy.act(observations(),
                      std::array<Stream* const, kEnvs>{&streams_[0], &streams_[1], &streams_[2]},
                      sigmas_);
  }

  /// The policy's actions and values.
  [[nodiscard]] std::pair<std::vector<float>, std::vector<float>> forward(Network& network) const {
    std::vector<float> actions(kEnvs);
    std::vector<float> values(kEnvs);
    network.forward({observations()}, {kEnvs, 1, actions, values});
    return {actions, values};
  }

 private:
  const Observations observations_ = {1, 0, 0.5F, -1, 0, 3, 0, 1, -2};
  std::array<Stream, kEnvs> streams_ = {Stream(1, 1), Stream(1, 2), Stream(1, 3)};
  std::array<float, kEnvs> sigmas_ = {};
  TemporaryFolder root_;
};

TEST_F(ApexPolicyTest, WithoutNoiseDoesWhatThePolicyDoes) {
  with_policy(0, [&](ApexPolicy& policy, Network& network) {
    const auto [actions, judgements] = act(policy);
    const auto [chosen, values] = forward(network);
    for (std::size_t i = 0; i < kEnvs; ++i) {
      EXPECT_FLOAT_EQ(actions[i].continuous[0], chosen[i]);
      EXPECT_FLOAT_EQ(judgements[i].action_value, values[i]);
      EXPECT_FLOAT_EQ(judgements[i].state_value, values[i]);
    }
    EXPECT_FLOAT_EQ(policy.value(observations().first(3 * sizeof(float))), values[0]);
  });
}

// Seen failing when the policy's own action was judged.
TEST_F(ApexPolicyTest, JudgesTheActionWithItsNoise) {
  with_policy(0.5, [&](ApexPolicy& policy, Network& network) {
    const auto [actions, judgements] = act(policy);
    const auto [chosen, values] = forward(network);
    std::vector<float> noisy;
    for (const auto& action : actions) noisy.push_back(action.continuous[0]);
    std::vector<float> q(kEnvs);
    network.critic()->judge_actions(observations(), noisy, q);
    for (std::size_t i = 0; i < kEnvs; ++i) {
      EXPECT_NE(noisy[i], chosen[i]);
      EXPECT_LE(std::abs(noisy[i]), 2);
      EXPECT_FLOAT_EQ(judgements[i].action_value, q[i]);
      EXPECT_FLOAT_EQ(judgements[i].state_value, values[i]);
      EXPECT_NE(judgements[i].action_value, judgements[i].state_value);
    }
  });
}

}  // namespace
}  // namespace tandem
