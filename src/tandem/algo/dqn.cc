#include "tandem/algo/dqn.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

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

/// From the gradient of Q(s, a), which is that of one action alone, to the heads': the mean of the
/// outputs takes its part back.
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

class Dqn final : public Algorithm {
 public:
  Dqn(const DqnConfig& config, std::int64_t envs, bool dueling)
      : config_(config), envs_(envs), dueling_(dueling) {}

  [[nodiscard]] Needs needs() const override {
    return {.value_head = dueling_, .metrics = kReplayedValueMetrics};
  }

  // One draw decides whether to explore, so that an epsilon of 0 and one of 1 both mean it. The
  // advantages' order is that of the action values.
  void act(const Heads& heads, std::span<Stream* const> streams, std::span<const float> epsilons,
           const Actions& actions) const override {
    const auto count = static_cast<std::size_t>(heads.actions);
    for (std::size_t i = 0; i < actions.discrete.size(); ++i) {
      const bool blind = streams[i]->uniform() < epsilons[i];
      const auto action = blind ? streams[i]->below(static_cast<std::uint32_t>(count))
                                : best(row(heads.logits, i, count));
      actions.discrete[i] = static_cast<std::int32_t>(action);
    }
  }

  [[nodiscard]] float epsilon(int env, std::int64_t /*steps*/) const override {
    return static_cast<float>(actor_epsilon(config_, env % envs_, envs_));
  }

  [[nodiscard]] float evaluation_epsilon() const override {
    return static_cast<float>(config_.epsilon_eval);
  }

  void values(const Heads& heads, std::span<const std::int32_t> /*actions*/,
              std::span<float> values) const override {
    const auto q = action_values(heads);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::ranges::max(row(q, i, static_cast<std::size_t>(heads.actions)));
    }
  }

  LossStats loss(const Heads& /*heads*/, const Rollout& /*rollout*/, double /*weight*/,
                 const Heads& /*gradient*/) const override {
    throw std::logic_error("DQN learns from a replay, not from rollouts");
  }

  [[nodiscard]] float reward(float raw) const override {
    const auto limit = static_cast<float>(config_.reward_clip);
    return limit > 0 ? std::clamp(raw, -limit, limit) : raw;
  }

  [[nodiscard]] double gamma() const override { return config_.gamma; }

 private:
  DqnConfig config_;
  std::int64_t envs_;
  bool dueling_;
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
       .meaning = "chance of a blind action where the policy is measured",
       .source = "Ape-X, appendix B",
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
                   const Replayed& samples, double weight, const Heads& gradient,
                   std::span<float> priorities) {
  const auto q = action_values(heads);
  const auto next_target = action_values(next.target);
  // The advantages' order is that of the action values.
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
    priorities[i] = std::abs(error);
    stats.value_loss += static_cast<double>(error) * error;
    stats.q += taken;
  }
  stats.samples = static_cast<double>(samples.actions.size());
  return stats;
}

std::unique_ptr<Algorithm> make_dqn(const DqnConfig& config, std::int64_t envs, bool dueling) {
  return std::make_unique<Dqn>(config, envs, dueling);
}

}  // namespace tandem
