// What an algorithm decides: how to act, and what to learn from. Pure: no threads, no queues, no
// environments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tandem/algo/loss_stats.h"
#include "tandem/base/random.h"
#include "tandem/data/rollout.h"
#include "tandem/nn/network.h"

namespace tandem {

/// Which states' values the loss over a rollout of T steps builds on.
enum class Bootstrap {
  none,          // returns end with the rollout
  last_state,    // of s_T: n-step returns
  every_state,   // of s_1 to s_T: one-step targets
  every_action,  // of (s_1, a_1) to (s_T, a_T): Sarsa's, for which a_T is chosen before the update
};

/// Several passes over the same experience, each in minibatches of samples in a new random order.
/// Value type.
struct Passes {
  std::int64_t epochs = 1;
  std::int64_t minibatches = 1;  // of each pass
};

/// What an algorithm needs beyond its own rules. Value type.
struct Needs {
  Bootstrap bootstrap = Bootstrap::last_state;
  std::int64_t target_steps = 0;  // between two refreshes of its target network; 0: it has none
  bool value_head = true;
  Metrics metrics = kActorCriticMetrics;
  bool off_policy = false;  // last states' values are to be those of the parameters that learn
  std::optional<Passes> passes = std::nullopt;  // none: one over whole rollouts
};

/// Immutable; safe to use from many threads.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  [[nodiscard]] virtual Needs needs() const { return {}; }

  /// Chooses action i from row i of the heads, drawing from *streams[i]; epsilons[i] is what
  /// epsilon() says for that environment.
  virtual void act(const Heads& heads, std::span<Stream* const> streams,
                   std::span<const float> epsilons, const Actions& actions) const = 0;

  /// Chooses without drawing: the most probable action, or that of the highest value.
  virtual void act_greedily(const Heads& heads, const Actions& actions) const;

  /// The chance of a blind action in environment `env` after `steps` steps of all environments; of
  /// a policy with noise on its actions, the noise's deviation.
  [[nodiscard]] virtual float epsilon(int /*env*/, std::int64_t /*steps*/) const { return 0; }

  /// The same where the policy is not trained but measured.
  [[nodiscard]] virtual float evaluation_epsilon() const { return 0; }

  /// Writes what the state of each row of the heads is worth, if actions[i] is taken in it.
  virtual void values(const Heads& heads, std::span<const std::int32_t> actions,
                      std::span<float> values) const = 0;

  /// The loss over a rollout's T * B samples (heads in its order), each weighted by `weight`
  /// (1 / samples of the whole update makes a mean); writes the gradient with respect to the heads.
  virtual LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                         const Heads& gradient) const = 0;

  /// What is computed once of an update's experience, before the passes over it: advantages and
  /// returns.
  virtual void prepare(std::span<Rollout* const> /*rollouts*/) const {}

  /// The reward to learn from, given the environment's.
  [[nodiscard]] virtual float reward(float raw) const = 0;

  /// Discount of one step.
  [[nodiscard]] virtual double gamma() const = 0;
};

}  // namespace tandem
