#include "tandem/algo/ppo.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "tandem/algo/action_distributions.h"
#include "tandem/algo/actor_critic_rule.h"
#include "tandem/base/linear.h"
#include "tandem/data/gae.h"

namespace tandem {
namespace {

/// Scales advantages to mean 0 and standard deviation 1 over all rollouts, summing in their order.
void normalise_advantages(std::span<Rollout* const> rollouts) {
  double count = 0;
  double sum = 0;
  for (Rollout* rollout : rollouts) {
    for (const float advantage : rollout->advantages()) sum += advantage;
    count += rollout->samples();
  }
  const double mean = sum / count;
  double squares = 0;
  for (Rollout* rollout : rollouts) {
    for (const float advantage : rollout->advantages()) {
      squares += (advantage - mean) * (advantage - mean);
    }
  }
  constexpr double kLeast = 1e-5;  // as in Kostrikov's code
  const double deviation = std::sqrt(squares / std::max(1.0, count - 1)) + kLeast;
  for (Rollout* rollout : rollouts) {
    for (float& advantage : rollout->advantages()) {
      advantage = static_cast<float>((advantage - mean) / deviation);
    }
  }
}

template <class ActionDistribution>
class PpoLoss final : public RolloutLoss {
 public:
  explicit PpoLoss(const PpoConfig& config) : config_(config) {}

  [[nodiscard]] Needs needs() const override {
    return {.passes = Passes{config_.epochs, config_.minibatches}};
  }

  [[nodiscard]] std::shared_ptr<const RolloutLoss> at(std::int64_t steps) const override {
    if (config_.clip_steps == 0) return nullptr;
    PpoConfig now = config_;
    now.clip = linear(config_.clip, config_.clip_end, steps, config_.clip_steps);
    now.clip_steps = 0;
    return std::make_shared<const PpoLoss>(now);
  }

  void prepare(std::span<Rollout* const> rollouts) const override {
    for (Rollout* rollout : rollouts) gae(*rollout, static_cast<float>(config_.lambda));
    if (config_.normalise) normalise_advantages(rollouts);
  }

  LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                 const Heads& gradient) const override {
    const auto width = static_cast<std::size_t>(heads.actions);
    const auto scale = static_cast<float>(weight);
    const auto advantages = rollout.advantages();
    LossStats stats;
    for (std::size_t i = 0; i < advantages.size(); ++i) {
      const auto outputs = heads.logits.subspan(i * width, width);
      const float log_ratio =
          ActionDistribution::log_probability(outputs, rollout, i) - rollout.log_probabilities()[i];
      const auto surrogate = clipped_surrogate(std::exp(log_ratio), advantages[i]);
      const float dimensions = ActionDistribution::dimensions(outputs);
      // The gradient of r A is r times the gradient of A log pi.
      const auto terms = ActionDistribution::differentiate(
          outputs, rollout, i,
          {.advantage = surrogate.slope,
           .entropy = dimensions * static_cast<float>(config_.entropy),
           .scale = scale},
          gradient.logits.subspan(i * width, width));
      const auto error = value_error(heads.value[i], rollout.values()[i], rollout.returns()[i]);
      gradient.value[i] = scale * static_cast<float>(config_.value_loss) * error.slope;

      stats.policy_loss -= surrogate.value;
      stats.value_loss += error.value;
      stats.entropy += dimensions * terms.entropy;
      stats.clipped += surrogate.slope == 0 && advantages[i] != 0 ? 1 : 0;
      stats.divergence += std::expm1(log_ratio) - log_ratio;
    }
    stats.samples = static_cast<double>(advantages.size());
    return stats;
  }

 private:
  struct Term {
    float value;
    float slope;
  };

  /// Equation 7. The slope, with respect to log pi, is r A, or 0 if r has left the clip range on
  /// the side that A favours.
  [[nodiscard]] Term clipped_surrogate(float ratio, float advantage) const {
    const auto clip = static_cast<float>(config_.clip);
    const float free = ratio * advantage;
    const float clipped = std::clamp(ratio, 1 - clip, 1 + clip) * advantage;
    return clipped < free ? Term{clipped, 0} : Term{free, free};
  }

  /// The larger of the two squared errors, and its derivative with respect to the value.
  [[nodiscard]] Term value_error(float value, float old, float target) const {
    const float free = value - target;
    const auto clip = static_cast<float>(config_.clip);
    const float moved = old + std::clamp(value - old, -clip, clip) - target;
    if (config_.value_clip && moved * moved > free * free) {
      const bool moves = std::abs(value - old) <= clip;
      return {moved * moved, moves ? 2 * moved : 0};
    }
    return {free * free, 2 * free};
  }

  const PpoConfig config_;
};

template <class ActionDistribution>
Algorithm make(const PpoConfig& config) {
  const ActorCriticOptions acting = {.gamma = config.gamma,
                                     .reward_clip = config.reward_clip,
                                     .reward_scale = config.reward_scale,
                                     .keeps_log_probabilities = true};
  return {.acting = std::make_shared<const ActorCriticRule<ActionDistribution>>(acting),
          .learning = std::make_shared<const PpoLoss<ActionDistribution>>(config),
          .metrics = kPpoMetrics};
}

}  // namespace

FieldList PpoConfig::fields() {
  return {
      {.key = "gamma",
       .target = &gamma,
       .meaning = "discount of one step",
       .source = "PPO, tables 3 to 5",
       .least = 0,
       .most = 1},
      {.key = "lambda",
       .target = &lambda,
       .meaning = "lambda of the advantages: 1 gives n-step returns, 0 one-step returns",
       .source = "PPO, equation 11 and tables 3 to 5",
       .least = 0,
       .most = 1},
      {.key = "clip",
       .target = &clip,
       .meaning = "how far an action's probability may move, as a share of the one it had",
       .source = "PPO, equation 7; 0.1 in table 5",
       .least = 0,
       .most = 1},
      {.key = "clip_end",
       .target = &clip_end,
       .meaning = "clip at clip_steps and after",
       .source = "PPO, table 5, has 0",
       .least = 0,
       .most = 1},
      {.key = "clip_steps",
       .target = &clip_steps,
       .meaning = "steps over which clip goes linearly to clip_end; 0: clip is constant",
       .source = "PPO, table 5, anneals over the run",
       .least = 0},
      {.key = "epochs",
       .target = &epochs,
       .meaning = "passes over the same experience (K)",
       .source = "PPO, Algorithm 1; Kostrikov 2018: 4, table 5: 3",
       .least = 1,
       .most = 1000},
      {.key = "minibatches",
       .target = &minibatches,
       .meaning = "minibatches of each pass; at most as many as an update has samples",
       .source = "PPO, Algorithm 1; Kostrikov 2018: 4",
       .least = 1,
       .most = 1000000},
      {.key = "entropy",
       .target = &entropy,
       .meaning = "factor of the policy's entropy",
       .source = "PPO, equation 9 (c_2); 0.01 in table 5",
       .least = 0},
      {.key = "value_loss",
       .target = &value_loss,
       .meaning = "factor of the value's squared error",
       .source = "PPO, equation 9 (c_1), has 1 in table 5; Kostrikov 2018: a half of 0.5",
       .least = 0},
      {.key = "value_clip",
       .target = &value_clip,
       .meaning = "a value that has moved by more than `clip` gains nothing from moving on",
       .source = "Kostrikov 2018; not in the paper"},
      {.key = "normalise",
       .target = &normalise,
       .meaning = "scale the advantages of an update to mean 0 and standard deviation 1",
       .source = "Kostrikov 2018; not in the paper"},
      {.key = "reward_clip",
       .target = &reward_clip,
       .meaning = "rewards are clipped to +- this before learning; 0: not clipped",
       .source = "Mnih et al. 2015, Methods",
       .least = 0},
      {.key = "reward_scale",
       .target = &reward_scale,
       .meaning = "rewards, clipped, are multiplied by this before learning; scores are not",
       .source = "not in the papers, which have 1"},
  };
}

Algorithm make_ppo(const PpoConfig& config) { return make<DiscreteActions>(config); }

Algorithm make_gaussian_ppo(const PpoConfig& config) { return make<ContinuousActions>(config); }

}  // namespace tandem
