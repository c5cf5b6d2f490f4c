#include "tandem/algo/dpg.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "tandem/nn/action_scale.h"

namespace tandem {
namespace {

class Dpg final : public Algorithm {
 public:
  Dpg(const DpgConfig& config, const EnvSpec& spec)
      : config_(config),
        low_(spec.action_low),
        high_(spec.action_high),
        scale_(spec.action_low, spec.action_high) {}

  [[nodiscard]] Needs needs() const override { return {.metrics = kDeterministicPolicyMetrics}; }

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

  [[nodiscard]] float epsilon(int /*env*/, std::int64_t /*steps*/) const override {
    return static_cast<float>(config_.sigma);
  }

  void values(const Heads& heads, std::span<const std::int32_t> /*actions*/,
              std::span<float> values) const override {
    std::ranges::copy(heads.value, values.begin());
  }

  LossStats loss(const Heads& /*heads*/, const Rollout& /*rollout*/, double /*weight*/,
                 const Heads& /*gradient*/) const override {
    throw std::logic_error("DPG learns from a replay, not from rollouts");
  }

  [[nodiscard]] float reward(float raw) const override {
    const auto limit = static_cast<float>(config_.reward_clip);
    return limit > 0 ? std::clamp(raw, -limit, limit) : raw;
  }

  [[nodiscard]] double gamma() const override { return config_.gamma; }

 private:
  DpgConfig config_;
  std::vector<float> low_, high_;
  ActionScale scale_;
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
                          const ReplayedReturns& samples, double weight, std::span<float> d_q,
                          std::span<float> priorities) {
  LossStats stats;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const float target = samples.n_step_returns[i] + samples.discounts[i] * next_q[i];
    const float error = target - q[i];
    d_q[i] = static_cast<float>(-weight) * samples.weights[i] * error;
    priorities[i] = std::abs(error);
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

std::unique_ptr<Algorithm> make_dpg(const DpgConfig& config, const EnvSpec& spec) {
  return std::make_unique<Dpg>(config, spec);
}

}  // namespace tandem
