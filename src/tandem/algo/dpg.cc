#include "tandem/algo/dpg.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tandem/nn/action_critic.h"
#include "tandem/nn/action_scale.h"
#include "tandem/nn/arithmetic.h"
#include "tandem/nn/composed/deterministic_actor_critic.h"

namespace tandem {
namespace {

class DpgRule final : public ActingRule {
 public:
  DpgRule(const DpgConfig& config, const EnvSpec& spec)
      : config_(config),
        low_(spec.action_low),
        high_(spec.action_high),
        scale_(spec.action_low, spec.action_high) {}

  void act(const Heads& heads, std::span<Stream* const> streams, std::span<const float> epsilons,
           const Actions& actions) const override {
    const auto dims = scale_.dims();
    for (std::size_t i = 0; i < actions.discrete.size(); ++i) {
      for (std::size_t j = 0; j < dims; ++j) {
        const float noise = epsilons[i] * scale_.half_range(j) * streams[i]->normal();
        actions.continuous[i * dims + j] =
            std::clamp(heads.logits[i * dims + j] + noise, low_[j], high_[j]);
      }
    }
  }

  void act_greedily(const Heads& heads, const Actions& actions) const override {
    std::ranges::copy(heads.logits, actions.continuous.begin());
  }

  // The value head judges the policy's actions without noise. The chosen actions have noise, so the
  // critic judges them anew.
  void judge(const EvaluatedStates& states, const Actions& chosen,
             const Judgements& judgements) const override {
    states.network.critic()->judge_actions(states.observations, chosen.continuous,
                                           judgements.action_values);
    std::ranges::copy(states.heads.value, judgements.state_values.begin());
  }

  [[nodiscard]] float epsilon(int /*env*/, std::int64_t /*episode*/,
                              std::int64_t /*steps*/) const override {
    return static_cast<float>(config_.sigma);
  }

  void values(const Heads& heads, std::span<const std::int32_t> /*actions*/,
              std::span<float> values) const override {
    std::ranges::copy(heads.value, values.begin());
  }

  [[nodiscard]] float reward(float raw) const override {
    return clipped_reward(raw, config_.reward_clip);
  }

  [[nodiscard]] double gamma() const override { return config_.gamma; }

 private:
  const DpgConfig config_;
  const std::vector<float> low_, high_;
  const ActionScale scale_;
};

void require_sizes(const Samples& samples, std::size_t dims) {
  const auto batch = samples.size();
  if (batch > 0 && samples.controls.size() == batch * dims &&
      samples.n_step_returns.size() == batch && samples.discounts.size() == batch &&
      samples.weights.size() == batch) {
    return;
  }
  throw std::logic_error("DPG: not as many numbers as priorities");
}

/// The gradients of both networks of Ape-X's section 3.2, each of its own loss.
class DpgGradient final : public ReplayGradient {
 public:
  DpgGradient(const DpgConfig& config, const Architecture& architecture,
              std::span<const float> theta, std::span<const float> theta_minus)
      : config_(config), online_(architecture, theta), target_(architecture, theta_minus) {}

  void target_changed() override {}  // its networks cache nothing computed from the parameters

  LossStats differentiate(const Samples& samples, double weight,
                          std::span<float> gradient) override {
    require_sizes(samples, online_.action_dims());
    for (auto* each : {&q_, &next_q_, &d_q_}) each->resize(samples.size());
    for (auto* each : {&actions_, &dq_da_, &d_outputs_}) each->resize(samples.controls.size());

    target_.act(samples.next_observations, actions_);
    target_.judge(samples.next_observations, actions_, next_q_);
    online_.record_judgement(samples.observations, samples.controls, q_);
    auto stats = dpg_critic_loss(q_, next_q_, samples, weight, d_q_);
    online_.critic_backward(d_q_, gradient);

    online_.differentiate_by_action(samples.observations, actions_, q_, dq_da_);
    dpg_policy_gradient(config_, actions_, dq_da_, weight, d_outputs_);
    online_.policy_backward(d_outputs_, gradient);
    for (const float q : q_) stats.policy_loss -= q;
    return stats;
  }

 private:
  const DpgConfig config_;
  DeterministicActorCritic online_, target_;
  std::vector<float> q_, next_q_, d_q_;             // [B]
  std::vector<float> actions_, dq_da_, d_outputs_;  // [B, dims]
};

class ReplayedDpg final : public ReplayAlgorithm {
 public:
  explicit ReplayedDpg(const DpgConfig& config) : config_(config) {}

  [[nodiscard]] std::int64_t target_updates() const override { return config_.target_updates; }

  [[nodiscard]] double operations(const Architecture& architecture) const override {
    const auto policy = arithmetic_of(architecture.policy_part());
    const auto critic = arithmetic_of(architecture.value_part());
    const double critic_loss = policy.forward + 2 * critic.forward + critic.backward;
    // dq/da goes back through all of the critic, and to none of its weights.
    const double policy_loss = policy.forward + 2 * critic.forward + policy.backward;
    return critic_loss + policy_loss;
  }

  // Only the architecture of the factory's network is used: DPG makes networks of its own, because
  // its losses are not functions of the heads.
  [[nodiscard]] std::unique_ptr<ReplayGradient> make_gradient(
      const NetworkFactory& make_network, std::span<const float> theta,
      std::span<const float> theta_minus) const override {
    const auto network = make_network(theta);
    return std::make_unique<DpgGradient>(config_, network->architecture(), theta, theta_minus);
  }

 private:
  const DpgConfig config_;
};

}  // namespace

FieldList DpgConfig::fields() {
  return {
      {.key = "gamma",
       .target = &gamma,
       .meaning = "discount of one step",
       .source = "Ape-X, appendix D: as per DQN; Mnih et al. 2015, Methods",
       .least = 0,
       .most = 1},
      {.key = "reward_clip",
       .target = &reward_clip,
       .meaning = "rewards are clipped to +- this before learning; 0: not clipped",
       .source = "not in the papers; rewards of the Control Suite are 0 to 1",
       .least = 0},
      {.key = "sigma",
       .target = &sigma,
       .meaning =
           "deviation of the normal noise on each dimension of an action, whose range counts "
           "as -1 to 1",
       .source = "Ape-X, appendix D",
       .least = 0},
      {.key = "target_updates",
       .target = &target_updates,
       .meaning = "updates between two copies of the target networks",
       .source = "Ape-X, appendix D",
       .least = 1},
      {.key = "clip",
       .target = &clip,
       .meaning = "each element of dq/da, by which the policy learns, is clipped to +- this, an "
                  "action's range being -1 to 1; 0: not clipped",
       .source = "Ape-X, appendix D",
       .least = 0},
  };
}

LossStats dpg_critic_loss(std::span<const float> q, std::span<const float> next_q,
                          const Samples& samples, double weight, std::span<float> d_q) {
  LossStats stats;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const float target = samples.n_step_returns[i] + samples.discounts[i] * next_q[i];
    const float error = target - q[i];
    d_q[i] = static_cast<float>(-weight) * samples.weights[i] * error;
    samples.priorities[i] = std::abs(error);
    stats.value_loss += static_cast<double>(error) * error;
    stats.q += q[i];
  }
  stats.samples = static_cast<double>(q.size());
  return stats;
}

void dpg_policy_gradient(const DpgConfig& config, std::span<const float> scaled,
                         std::span<const float> dq_da, double weight, std::span<float> gradient) {
  const auto limit = static_cast<float>(config.clip);
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const float slope = limit > 0 ? std::clamp(dq_da[i], -limit, limit) : dq_da[i];
    gradient[i] = static_cast<float>(-weight) * slope * (1.0F - scaled[i] * scaled[i]);
  }
}

Algorithm make_dpg(const DpgConfig& config, const EnvSpec& spec) {
  return {.acting = std::make_shared<const DpgRule>(config, spec),
          .learning = std::make_shared<const ReplayedDpg>(config),
          .metrics = kDeterministicPolicyMetrics};
}

}  // namespace tandem
