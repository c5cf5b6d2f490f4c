// How actor-critics act, with discrete or with continuous actions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "tandem/algo/acting_rule.h"
#include "tandem/algo/action_distributions.h"

namespace tandem {

/// The hyperparameters with which an actor-critic acts. Value type.
struct ActorCriticOptions {
  double gamma = 0.99;                   // discount of one step
  double reward_clip = 1;                // rewards are clipped to +-this; 0: not clipped
  double reward_scale = 1;               // rewards are multiplied by this, after clipping
  bool keeps_log_probabilities = false;  // whether act() stores log pi(a) of its actions
};

/// Draws actions from the ActionDistribution that the policy head describes (see
/// action_distributions.h). The value head gives the values of states.
template <class ActionDistribution>
class ActorCriticRule final : public ActingRule {
 public:
  /// Copies the options.
  explicit ActorCriticRule(const ActorCriticOptions& options) : options_(options) {}

  void act(const Heads& heads, std::span<Stream* const> streams,
           std::span<const float> /*epsilons*/, const Actions& actions) const override {
    const auto width = static_cast<std::size_t>(heads.actions);
    Actions drawn = actions;
    if (!options_.keeps_log_probabilities) drawn.log_probabilities = {};
    for (std::size_t i = 0; i < drawn.discrete.size(); ++i) {
      ActionDistribution::draw(heads.logits.subspan(i * width, width), *streams[i], drawn, i);
    }
  }

  void act_greedily(const Heads& heads, const Actions& actions) const override {
    if constexpr (ActionDistribution::kContinuous) {
      return ActionDistribution::act_greedily(heads, actions);
    }
    ActingRule::act_greedily(heads, actions);
  }

  void judge(const EvaluatedStates& states, const Actions& /*chosen*/,
             const Judgements& judgements) const override {
    std::ranges::copy(states.heads.value, judgements.action_values.begin());
    std::ranges::copy(states.heads.value, judgements.state_values.begin());
  }

  void values(const Heads& heads, std::span<const std::int32_t> /*actions*/,
              std::span<float> values) const override {
    std::ranges::copy(heads.value, values.begin());
  }

  [[nodiscard]] float reward(float raw) const override {
    return clipped_reward(raw, options_.reward_clip) * static_cast<float>(options_.reward_scale);
  }

  [[nodiscard]] double gamma() const override { return options_.gamma; }

 private:
  const ActorCriticOptions options_;
};

}  // namespace tandem
