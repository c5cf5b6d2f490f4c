// How an agent acts, whether it learns from rollouts or from a replay. Pure: no threads, queues or
// environments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tandem/base/random.h"
#include "tandem/data/actions.h"
#include "tandem/nn/network.h"

namespace tandem {

/// Some states and a network's heads for them; views of the caller's memory.
struct EvaluatedStates {
  Network& network;                         // still has the parameters that gave the heads
  std::span<const std::byte> observations;  // [batch, observation], as Inputs::observations
  Heads heads;                              // of the observations, as `network` gave them
};

/// The values of states and of the actions taken in them; views of the caller's memory. Ape-X
/// computes the first priorities of transitions from them (section 3; appendix F, "Adding data").
struct Judgements {
  std::span<float> action_values;  // [batch]: q(s, a) of the chosen actions
  std::span<float> state_values;   // [batch]: the values from which returns bootstrap
};

/// How an agent acts, and what its networks' outputs mean for that. Immutable; safe to use from
/// many threads.
class ActingRule {
 public:
  virtual ~ActingRule() = default;

  /// Chooses action i from row i of the heads, drawing from *streams[i]; epsilons[i] is the number
  /// that epsilon() gives for that environment.
  virtual void act(const Heads& heads, std::span<Stream* const> streams,
                   std::span<const float> epsilons, const Actions& actions) const = 0;

  /// Chooses without drawing: the most probable action, or the one of the highest value.
  virtual void act_greedily(const Heads& heads, const Actions& actions) const;

  /// Judges the states, and the actions that act() has just chosen in them. An actor-critic values
  /// no single action; both numbers are then the state's value.
  virtual void judge(const EvaluatedStates& states, const Actions& chosen,
                     const Judgements& judgements) const = 0;

  /// The chance of a blind action in environment `env` after `steps` steps of all environments;
  /// `episode` is the number of episodes that the environment has begun before the present one. For
  /// a policy with noise on its actions, this is the noise's deviation.
  [[nodiscard]] virtual float epsilon(int /*env*/, std::int64_t /*episode*/,
                                      std::int64_t /*steps*/) const {
    return 0;
  }

  /// The same for evaluation.
  [[nodiscard]] virtual float evaluation_epsilon() const { return 0; }

  /// Writes the value of the state in each row of the heads, given that actions[i] is taken in it.
  virtual void values(const Heads& heads, std::span<const std::int32_t> actions,
                      std::span<float> values) const = 0;

  /// The reward to learn from, given the environment's own reward.
  [[nodiscard]] virtual float reward(float raw) const = 0;

  /// The discount of one step.
  [[nodiscard]] virtual double gamma() const = 0;
};

/// `raw`, clipped to +-limit; with a limit of 0, `raw` itself. Pure.
[[nodiscard]] float clipped_reward(float raw, double limit);

}  // namespace tandem
