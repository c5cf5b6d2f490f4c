#include "tandem/algo/a2c.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tandem/algo/action_distributions.h"
#include "tandem/algo/actor_critic_rule.h"
#include "tandem/base/error.h"
#include "tandem/base/linear.h"
#include "tandem/data/vtrace.h"

namespace tandem {
namespace {

template <class ActionDistribution>
class A2cLoss final : public RolloutLoss {
 public:
  explicit A2cLoss(A2cConfig config) : config_(std::move(config)) {}

  [[nodiscard]] Needs needs() const override {
    return {.bootstrap = config_.bootstrap ? Bootstrap::last_state : Bootstrap::none,
            .off_policy = config_.correction != "none"};
  }

  [[nodiscard]] std::shared_ptr<const RolloutLoss> at(std::int64_t steps) const override {
    if (config_.entropy_steps == 0) return nullptr;
    A2cConfig now = config_;
    now.entropy = linear(config_.entropy, config_.entropy_end, steps, config_.entropy_steps);
    now.entropy_steps = 0;
    return std::make_shared<const A2cLoss>(now);
  }

  LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                 const Heads& gradient) const override {
    const std::size_t width = heads.actions;
    const auto [targets, advantages] = this->targets(heads, rollout);
    const auto scale = static_cast<float>(weight * config_.loss_scale);
    const auto value_factor = static_cast<float>(config_.value_loss);
    LossStats stats;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const float error = targets[i] - heads.value[i];
      const auto terms =
          ActionDistribution::differentiate(heads.logits.subspan(i * width, width), rollout, i,
                                            {.advantage = advantages[i],
                                             .entropy = static_cast<float>(config_.entropy),
                                             .log_epsilon = static_cast<float>(config_.log_epsilon),
                                             .scale = scale},
                                            gradient.logits.subspan(i * width, width));
      gradient.value[i] = scale * value_factor * -2.0f * error;

      stats.policy_loss -= advantages[i] * terms.log_probability;
      stats.value_loss += error * error;
      stats.entropy += terms.entropy;
    }
    stats.samples = static_cast<double>(targets.size());
    return stats;
  }

 private:
  /// The target of each sample's value, and the advantage of its action.
  struct Targets {
    std::vector<float> values;
    std::vector<float> advantages;
  };

  [[nodiscard]] Targets targets(const Heads& heads, const Rollout& rollout) const {
    const auto samples = rollout.rewards().size();
    Targets targets{std::vector<float>(samples), std::vector<float>(samples)};
    if (config_.correction != "vtrace") {
      n_step_returns(rollout, targets.values);
      std::ranges::transform(targets.values, heads.value, targets.advantages.begin(),
                             std::minus<>());
      return targets;
    }
    const auto width = static_cast<std::size_t>(heads.actions);
    std::vector<float> log_ratios(samples);
    for (std::size_t i = 0; i < samples; ++i) {
      log_ratios[i] =
          ActionDistribution::log_probability(heads.logits.subspan(i * width, width), rollout, i) -
          rollout.log_probabilities()[i];
    }
    vtrace(rollout, heads.value, log_ratios,
           {static_cast<float>(config_.rho_limit), static_cast<float>(config_.c_limit)},
           {targets.values, targets.advantages});
    return targets;
  }

  A2cConfig config_;
};

template <class ActionDistribution>
Algorithm make(const A2cConfig& config) {
  const ActorCriticOptions acting = {.gamma = config.gamma,
                                     .reward_clip = config.reward_clip,
                                     .reward_scale = config.reward_scale,
                                     .keeps_log_probabilities = config.correction == "vtrace"};
  const bool truncates = config.rho_limit > 0 && config.rho_limit >= config.c_limit;
  if (config.correction == "vtrace" && !truncates) {
    throw Error(
        fmt::format("a2c.rho_limit = {:g} must be above 0, and no less than a2c.c_limit = {:g}: "
                    "V-trace is defined for these (Espeholt et al. 2018, section 4.1)",
                    config.rho_limit, config.c_limit));
  }
  return {.acting = std::make_shared<const ActorCriticRule<ActionDistribution>>(acting),
          .learning = std::make_shared<const A2cLoss<ActionDistribution>>(config)};
}

}  // namespace

FieldList A2cConfig::fields() {
  return {
      {.key = "gamma",
       .target = &gamma,
       .meaning = "discount of one step",
       .source = "PAAC, section 5.1",
       .least = 0,
       .most = 1},
      {.key = "entropy",
       .target = &entropy,
       .meaning = "factor of the policy's entropy (beta)",
       .source = "PAAC, section 5.1",
       .least = 0},
      {.key = "entropy_end",
       .target = &entropy_end,
       .meaning = "entropy at entropy_steps and after",
       .source = "not in the papers",
       .least = 0},
      {.key = "entropy_steps",
       .target = &entropy_steps,
       .meaning = "steps over which entropy goes linearly to entropy_end; 0: entropy is constant",
       .source = "not in the papers, where it is constant",
       .least = 0},
      {.key = "value_loss",
       .target = &value_loss,
       .meaning =
           "factor of the value's squared error; 1 in the equation, 0.25 in the reference code",
       .source = "PAAC, equation 11, has 1",
       .least = 0},
      {.key = "loss_scale",
       .target = &loss_scale,
       .meaning = "factor of the whole loss; 1 in the equations, 5 in the reference code",
       .source = "PAAC, equations 10 and 11, have 1",
       .least = 0},
      {.key = "reward_clip",
       .target = &reward_clip,
       .meaning = "rewards are clipped to +- this before learning; 0: not clipped",
       .source = "Mnih et al. 2015, Methods",
       .least = 0},
      {.key = "reward_scale",
       .target = &reward_scale,
       .meaning = "rewards, clipped, are multiplied by this before learning; scores are not",
       .source = "not in the papers, which have 1"},
      {.key = "log_epsilon",
       .target = &log_epsilon,
       .meaning = "added to the probabilities of discrete actions before their logarithm, so that "
                  "it stays finite where a policy has moved on since the action",
       .source = "GA3C, equation 5; its code has 1e-6",
       .least = 0,
       .most = 1},
      {.key = "bootstrap",
       .target = &bootstrap,
       .meaning = "returns go on with the value of the last state, also of an episode that a time "
                  "limit cut off; false: they end there, for rollouts (t_max) as long as episodes",
       .source = "A3C, section 4; false: section 5.2.3"},
      {.key = "correction",
       .target = &correction,
       .meaning = "correction of returns for parameters that have moved on since the policy acted: "
                  "none; values: the last states are valued anew; vtrace: importance weights, too",
       .source = "vtrace: Espeholt et al. 2018, section 4.1; GA3C has none",
       .choices = {"none", "values", "vtrace"}},
      {.key = "rho_limit",
       .target = &rho_limit,
       .meaning = "vtrace: greatest importance weight of a step's own error (rho)",
       .source = "Espeholt et al. 2018, section 4.1; 1 in section 5",
       .least = 0},
      {.key = "c_limit",
       .target = &c_limit,
       .meaning = "vtrace: greatest importance weight on the way to earlier steps (c)",
       .source = "Espeholt et al. 2018, section 4.1; 1 in section 5",
       .least = 0},
  };
}

Algorithm make_a2c(const A2cConfig& config) { return make<DiscreteActions>(config); }

Algorithm make_gaussian_a2c(const A2cConfig& config) { return make<ContinuousActions>(config); }

}  // namespace tandem
