// How an agent acts, whether it learns from rollouts or from a replay. Uses no threads, queues or
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
  Network& network;                         // with the parameters that computed the heads
  std::span<const std::byte> observations;  // [batch, observation], as Inputs::observations
  Heads heads;                              // of the observations, computed by `network`
};

/// The values of states and of the actions taken in them; views of the caller's memory. Ape-X
/// computes the first priorities of transitions from them (section 3; appendix F, "Adding data").
struct Judgements {
  std::span<float> action_values;  // [batch]: q(s, a) of the chosen actions
  std::span<float> state_values;   // [batch]: the values that returns bootstrap from
};

/// Turns the heads of an agent's network into actions and values, and rewards into the rewards to
/// learn from. Immutable; safe to use from many threads.
class ActingRule {
 public:
  virtual ~ActingRule() = default;

  /// Chooses action i from row i of the heads, drawing from *streams[i]; epsilons[i] is the value
  /// of epsilon() for that environment.
  virtual void act(const Heads& heads, std::span<Stream* const> streams,
                   std::span<const float> epsilons, const Actions& actions) const = 0;

  /// Chooses without randomness: the most probable action, or the action of the highest value.
  virtual void act_greedily(const Heads& heads, const Actions& actions) const;

  /// Judges the states, and the actions that act() has just chosen in them. An actor-critic has
  /// no action values; it writes the state's value for both.
  virtual void judge(const EvaluatedStates& states, const Actions& chosen,
                     const Judgements& judgements) const = 0;

  /// The probability of a random action in environment `env` after `steps` steps of all
  /// environments; `episode` is the number of episodes that the environment has begun before the
  /// present one. For a policy that adds noise to its actions, it is the noise's standard
  /// deviation.
  [[nodiscard]] virtual float epsilon(int /*env*/, std::int64_t /*episode*/,
                                      std::int64_t /*steps*/) const {
    return 0;
  }

  /// The same for evaluation.
  [[nodiscard]] virtual float evaluation_epsilon() const { return 0; }

  /// Writes the value of the state in each row i of the heads, given that action i is taken there.
  virtual void values(const Heads& heads, std::span<const std::int32_t> actions,
                      std::span<float> values) const = 0;

  /// The reward to learn from, given the environment's own reward.
  [[nodiscard]] virtual float reward(float raw) const = 0;

  /// The discount of one step.
  [[nodiscard]] virtual double gamma() const = 0;
};

/// Chooses action i at random, drawing from *streams[i], with probability epsilons[i], or else the
/// action of the highest output in row i of the heads. An epsilon of exactly 0 never explores, and
/// an epsilon of 1 always does.
void act_epsilon_greedily(const Heads& heads, std::span<Stream* const> streams,
                          std::span<const float> epsilons, const Actions& actions);

/// `raw`, clipped to +-limit; with a limit of 0, `raw` itself.
[[nodiscard]] float clipped_reward(float raw, double limit);

}  // namespace tandem
