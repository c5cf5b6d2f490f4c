#include "tandem/algo/dqn.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "tandem/nn/arithmetic.h"
#include "tandem/nn/batch.h"

namespace tandem {
namespace {

std::span<const float> row(std::span<const float> q, std::size_t i, std::size_t actions) {
  return q.subspan(i * actions, actions);
}

std::size_t best(std::span<const float> q) {
  return static_cast<std::size_t>(std::ranges::max_element(q) - q.begin());
}

std::vector<float> action_values(const Heads& heads) {
  std::vector<float> q(heads.logits.size());
  action_values(heads, q);
  return q;
}

/// Backpropagates d_q, the gradient of one action's Q(s, a), to the heads. A dueling network
/// subtracts the mean of its outputs, so every action's output gets a share of the gradient.
void spread(std::size_t i, std::int32_t action, float d_q, const Heads& gradient) {
  const auto actions = static_cast<std::size_t>(gradient.actions);
  const auto outputs = gradient.logits.subspan(i * actions, actions);
  if (gradient.value.empty()) {
    std::ranges::fill(outputs, 0.0F);
  } else {
    std::ranges::fill(outputs, -d_q / static_cast<float>(actions));
    gradient.value[i] = d_q;
  }
  outputs[static_cast<std::size_t>(action)] += d_q;
}

/// The difference between Q(s, a) of sample i and the output of action a, which is the same for all
/// actions. Gives the same values as action_values(), but needs no memory for them.
float value_above_outputs(const Heads& heads, std::size_t i) {
  if (heads.value.empty()) return 0;
  const auto advantages = row(heads.logits, i, static_cast<std::size_t>(heads.actions));
  const float mean = std::accumulate(advantages.begin(), advantages.end(), 0.0F) /
                     static_cast<float>(advantages.size());
  return heads.value[i] - mean;
}

class DqnRule final : public ActingRule {
 public:
  DqnRule(const DqnConfig& config, std::int64_t envs) : config_(config), envs_(envs) {}

  // Advantages have their maximum at the same action as action values.
  void act(const Heads& heads, std::span<Stream* const> streams, std::span<const float> epsilons,
           const Actions& actions) const override {
    act_epsilon_greedily(heads, streams, epsilons, actions);
  }

  void judge(const EvaluatedStates& states, const Actions& chosen,
             const Judgements& judgements) const override {
    const auto count = static_cast<std::size_t>(states.heads.actions);
    for (std::size_t i = 0; i < judgements.action_values.size(); ++i) {
      const auto outputs = row(states.heads.logits, i, count);
      const float above = value_above_outputs(states.heads, i);
      judgements.action_values[i] = outputs[static_cast<std::size_t>(chosen.discrete[i])] + above;
      judgements.state_values[i] = std::ranges::max(outputs) + above;
    }
  }

  [[nodiscard]] float epsilon(int env, std::int64_t /*episode*/,
                              std::int64_t /*steps*/) const override {
    return static_cast<float>(actor_epsilon(config_, env % envs_, envs_));
  }

  [[nodiscard]] float evaluation_epsilon() const override {
    return static_cast<float>(config_.epsilon_eval);
  }

  void values(const Heads& heads, std::span<const std::int32_t> /*actions*/,
              std::span<float> values) const override {
    const auto count = static_cast<std::size_t>(heads.actions);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::ranges::max(row(heads.logits, i, count)) + value_above_outputs(heads, i);
    }
  }

  [[nodiscard]] float reward(float raw) const override {
    return clipped_reward(raw, config_.reward_clip);
  }

  [[nodiscard]] double gamma() const override { return config_.gamma; }

 private:
  const DqnConfig config_;
  const std::int64_t envs_;
};

/// The gradient of the loss in Ape-X's section 3.1.
class DqnGradient final : public ReplayGradient {
 public:
  DqnGradient(const DqnConfig& config, const NetworkFactory& make_network,
              std::span<const float> theta, std::span<const float> theta_minus)
      : config_(config), network_(make_network(theta)), target_(make_network(theta_minus)) {}

  void target_changed() override { target_->reload(); }

  LossStats differentiate(const Samples& samples, double weight,
                          std::span<float> gradient) override {
    network_->reload();
    const auto batch = static_cast<std::int64_t>(samples.size());
    const auto& architecture = network_->architecture();
    const NextStates next{.online = next_online_.of(architecture, batch),
                          .target = next_target_.of(architecture, batch)};
    if (config_.double_q) network_->forward({samples.next_observations}, next.online);
    target_->forward({samples.next_observations}, next.target);
    network_->record({samples.observations}, now_.of(architecture, batch));
    LossStats stats;
    network_->backward(
        [&](const Heads& heads, const Heads& out) {
          stats = dqn_loss(config_, heads, next, samples, weight, out);
        },
        gradient);
    return stats;
  }

 private:
  const DqnConfig config_;
  std::unique_ptr<Network> network_, target_;
  HeadsBuffer now_, next_online_, next_target_;
};

class ReplayedDqn final : public ReplayAlgorithm {
 public:
  explicit ReplayedDqn(const DqnConfig& config) : config_(config) {}

  [[nodiscard]] std::int64_t target_updates() const override { return config_.target_updates; }

  [[nodiscard]] double operations(const Architecture& architecture) const override {
    const auto one = arithmetic_of(architecture);
    return (config_.double_q ? 3 : 2) * one.forward + one.backward;
  }

  [[nodiscard]] std::unique_ptr<ReplayGradient> make_gradient(
      const NetworkFactory& make_network, std::span<const float> theta,
      std::span<const float> theta_minus) const override {
    return std::make_unique<DqnGradient>(config_, make_network, theta, theta_minus);
  }

 private:
  const DqnConfig config_;
};

}  // namespace

FieldList DqnConfig::fields() {
  return {
      {.key = "gamma",
       .target = &gamma,
       .meaning = "discount of one step",
       .source = "Mnih et al. 2015, Methods",
       .least = 0,
       .most = 1},
      {.key = "reward_clip",
       .target = &reward_clip,
       .meaning = "rewards are clipped to +- this before learning; 0: not clipped",
       .source = "Ape-X, appendix C",
       .least = 0},
      {.key = "double_q",
       .target = &double_q,
       .meaning = "the online network chooses the action that the target network rates",
       .source = "Ape-X, section 3.1; van Hasselt et al. 2016, equation 4"},
      {.key = "target_updates",
       .target = &target_updates,
       .meaning = "updates between two copies of the target network",
       .source = "Ape-X, appendix C; appendix D: 100",
       .least = 1},
      {.key = "epsilon",
       .target = &epsilon,
       .meaning =
           "actor i of N acts blindly with the chance epsilon^(1 + epsilon_exponent i/(N-1))",
       .source = "Ape-X, section 4.1",
       .least = 0,
       .most = 1},
      {.key = "epsilon_exponent",
       .target = &epsilon_exponent,
       .meaning = "see epsilon (alpha)",
       .source = "Ape-X, section 4.1",
       .least = 0},
      {.key = "epsilons",
       .target = &epsilons,
       .meaning = "different epsilons, which the actors share; 0: each has its own",
       .source = "Ape-X, appendix B: 6 or all",
       .least = 0,
       .most = 4096},
      {.key = "epsilon_eval",
       .target = &epsilon_eval,
       .meaning = "chance of a blind action in evaluations",
       .source = "Ape-X, appendix B, for figure 7; none is named for evaluations",
       .least = 0,
       .most = 1},
  };
}

double actor_epsilon(const DqnConfig& config, std::int64_t actor, std::int64_t actors) {
  if (config.epsilons > 0 && config.epsilons < actors) {
    actor %= config.epsilons;
    actors = config.epsilons;
  }
  if (actors < 2) return config.epsilon;
  const double share = static_cast<double>(actor) / static_cast<double>(actors - 1);
  return std::pow(config.epsilon, 1 + config.epsilon_exponent * share);
}

void action_values(const Heads& heads, std::span<float> q) {
  std::ranges::copy(heads.logits, q.begin());
  if (heads.value.empty()) return;
  const auto actions = static_cast<std::size_t>(heads.actions);
  for (std::size_t i = 0; i < heads.value.size(); ++i) {
    const auto advantages = q.subspan(i * actions, actions);
    const float mean =
        std::accumulate(advantages.begin(), advantages.end(), 0.0F) / static_cast<float>(actions);
    for (float& each : advantages) each += heads.value[i] - mean;
  }
}

LossStats dqn_loss(const DqnConfig& config, const Heads& heads, const NextStates& next,
                   const Samples& samples, double weight, const Heads& gradient) {
  const auto q = action_values(heads);
  const auto next_target = action_values(next.target);
  // Advantages have their maximum at the same action as action values.
  const std::span<const float> chooser = config.double_q ? next.online.logits : next.target.logits;
  const auto actions = static_cast<std::size_t>(heads.actions);
  LossStats stats;
  for (std::size_t i = 0; i < samples.actions.size(); ++i) {
    const auto chosen = best(row(chooser, i, actions));
    const float bootstrap = row(next_target, i, actions)[chosen];
    const float target = samples.n_step_returns[i] + samples.discounts[i] * bootstrap;
    const float taken = row(q, i, actions)[static_cast<std::size_t>(samples.actions[i])];
    const float error = target - taken;
    spread(i, samples.actions[i], static_cast<float>(-weight) * samples.weights[i] * error,
           gradient);
    samples.priorities[i] = std::abs(error);
    stats.value_loss += static_cast<double>(error) * error;
    stats.q += taken;
  }
  stats.samples = static_cast<double>(samples.actions.size());
  return stats;
}

Algorithm make_dqn(const DqnConfig& config, std::int64_t envs, bool dueling) {
  return {.acting = std::make_shared<const DqnRule>(config, envs),
          .learning = std::make_shared<const ReplayedDqn>(config),
          .value_head = dueling,
          .metrics = kReplayedValueMetrics};
}

}  // namespace tandem
