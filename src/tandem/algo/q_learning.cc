#include "tandem/algo/q_learning.h"

#include <algorithm>
#include <vector>

namespace tandem {
namespace {

std::span<float> row(const Heads& heads, std::size_t i) {
  const auto width = static_cast<std::size_t>(heads.actions);
  return heads.logits.subspan(i * width, width);
}

class QRule final : public ActingRule {
 public:
  QRule(QMethod method, const QConfig& config, std::uint64_t seed, std::int64_t frames_per_step)
      : method_(method), config_(config), exploration_(config.exploration, seed, frames_per_step) {}

  void act(const Heads& heads, std::span<Stream* const> streams, std::span<const float> epsilons,
           const Actions& actions) const override {
    act_epsilon_greedily(heads, streams, epsilons, actions);
  }

  void judge(const EvaluatedStates& states, const Actions& chosen,
             const Judgements& judgements) const override {
    for (std::size_t i = 0; i < judgements.action_values.size(); ++i) {
      judgements.action_values[i] = row(states.heads, i)[chosen.discrete[i]];
    }
    values(states.heads, chosen.discrete, judgements.state_values);
  }

  [[nodiscard]] float epsilon(int env, std::int64_t episode, std::int64_t steps) const override {
    return exploration_.epsilon(env, episode, steps);
  }

  [[nodiscard]] float evaluation_epsilon() const override { return exploration_.at_evaluation(); }

  void values(const Heads& heads, std::span<const std::int32_t> actions,
              std::span<float> values) const override {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto q = row(heads, i);
      values[i] = method_ == QMethod::one_step_sarsa ? q[actions[i]] : *std::ranges::max_element(q);
    }
  }

  [[nodiscard]] float reward(float raw) const override {
    return clipped_reward(raw, config_.reward_clip) * static_cast<float>(config_.reward_scale);
  }

  [[nodiscard]] double gamma() const override { return config_.gamma; }

 private:
  const QMethod method_;
  const QConfig config_;
  const Exploration exploration_;
};

class QLoss final : public RolloutLoss {
 public:
  QLoss(QMethod method, const QConfig& config, std::int64_t frames_per_step)
      : method_(method),
        loss_scale_(config.loss_scale),
        target_steps_(std::max<std::int64_t>(1, config.target_frames / frames_per_step)) {}

  [[nodiscard]] Needs needs() const override {
    return {.bootstrap = bootstrap(), .target_steps = target_steps_};
  }

  LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                 const Heads& gradient) const override {
    const auto actions = rollout.actions();
    std::vector<float> targets(actions.size());
    method_ == QMethod::n_step_q ? n_step_returns(rollout, targets)
                                 : one_step_returns(rollout, targets);

    std::ranges::fill(gradient.logits, 0.0f);
    std::ranges::fill(gradient.value, 0.0f);
    const auto scale = static_cast<float>(weight * loss_scale_);
    const auto epsilons = rollout.epsilons();
    LossStats stats;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const float q = row(heads, i)[actions[i]];
      const float error = targets[i] - q;
      row(gradient, i)[actions[i]] = scale * -2.0f * error;
      stats.value_loss += error * error;
      stats.q += q;
      stats.epsilon += epsilons[i];
    }
    stats.samples = static_cast<double>(actions.size());
    return stats;
  }

 private:
  [[nodiscard]] Bootstrap bootstrap() const {
    if (method_ == QMethod::one_step_q) return Bootstrap::every_state;
    if (method_ == QMethod::one_step_sarsa) return Bootstrap::every_action;
    return Bootstrap::last_state;
  }

  const QMethod method_;
  const double loss_scale_;
  const std::int64_t target_steps_;
};

}  // namespace

FieldList QConfig::fields() {
  FieldList all = {
      {.key = "gamma",
       .target = &gamma,
       .meaning = "discount of one step",
       .source = "Mnih et al. 2015, Methods",
       .least = 0,
       .most = 1},
      {.key = "loss_scale",
       .target = &loss_scale,
       .meaning = "factor of the whole loss; 1 in the equations",
       .source = "A3C, algorithms 1 and 2, have 1",
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
      {.key = "target_frames",
       .target = &target_frames,
       .meaning = "frames of all environments between two refreshes of the target network "
                  "(I_target)",
       .source = "A3C, section 5.1",
       .least = 1},
  };
  for (auto& field : exploration.fields()) all.push_back(std::move(field));
  return all;
}

Algorithm make_q_learning(QMethod method, const QConfig& config, std::uint64_t seed,
                          std::int64_t frames_per_step) {
  return {.acting = std::make_shared<const QRule>(method, config, seed, frames_per_step),
          .learning = std::make_shared<const QLoss>(method, config, frames_per_step),
          .value_head = false,
          .metrics = kValueMethodMetrics};
}

}  // namespace tandem
