// How an agent acts, whatever it learns from. Pure: no threads, no queues, no environments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tandem/base/random.h"
#include "tandem/data/actions.h"
#include "tandem/nn/network.h"

namespace tandem {

/// Some states, and what a network made of them; views of the caller's memory.
struct EvaluatedStates {
  Network& network;                         // its parameters are still those of the heads
  std::span<const std::byte> observations;  // [batch, observation], as Inputs::observations
  Heads heads;                              // of the observations, as `network` gave them
};

/// What states are worth, and the actions in them; views of the caller's memory. Ape-X computes the
/// first priorities of transitions from them (section 3; appendix F, "Adding data").
struct Judgements {
  std::span<float> action_values;  // [batch]: q(s, a) of the actions chosen
  std::span<float> state_values;   // [batch]: what bootstrapping takes each state to be worth
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

  /// Judges the states, and the actions that act() has just chosen in them. An actor-critic has no
  /// value of a single action; there both numbers are the state's value.
  virtual void judge(const EvaluatedStates& states, const Actions& chosen,
                     const Judgements& judgements) const = 0;

  /// The chance of a blind action in environment `env` after `steps` steps of all environments, in
  /// an episode of that environment before which it has begun `episode` others; of a policy with
  /// noise on its actions, the noise's deviation.
  [[nodiscard]] virtual float epsilon(int /*env*/, std::int64_t /*episode*/,
                                      std::int64_t /*steps*/) const {
    return 0;
  }

  /// The same where the policy is not trained but measured.
  [[nodiscard]] virtual float evaluation_epsilon() const { return 0; }

  /// Writes what the state of each row of the heads is worth, if actions[i] is taken in it.
  virtual void values(const Heads& heads, std::span<const std::int32_t> actions,
                      std::span<float> values) const = 0;

  /// The reward to learn from, given the environment's.
  [[nodiscard]] virtual float reward(float raw) const = 0;

  /// Discount of one step.
  [[nodiscard]] virtual double gamma() const = 0;
};

/// `raw` clipped to +-limit; 0: not clipped. Pure.
[[nodiscard]] float clipped_reward(float raw, double limit);

}  // namespace tandem
