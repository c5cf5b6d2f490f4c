// Learning from rollouts: from fresh experience, in the order in which it was made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "tandem/algo/loss_stats.h"
#include "tandem/data/rollout.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The states whose values enter the loss over a rollout of T steps.
enum class Bootstrap {
  none,          // returns end with the rollout
  last_state,    // of s_T: n-step returns
  every_state,   // of s_1 to s_T: one-step targets
  every_action,  // of (s_1, a_1) to (s_T, a_T), for Sarsa: a_T is chosen before the update
};

/// Several passes over the same experience, each in minibatches of samples in a new random order.
/// Value type.
struct Passes {
  std::int64_t epochs = 1;       // passes over all samples
  std::int64_t minibatches = 1;  // of each pass
};

/// The demands of a loss on the system in which it learns. Value type.
struct Needs {
  Bootstrap bootstrap = Bootstrap::last_state;  // the states whose values it takes
  std::int64_t target_steps = 0;  // between two refreshes of its target network; 0: it has none
  bool off_policy = false;        // the parameters that learn must value the last states
  std::optional<Passes> passes = std::nullopt;  // empty: one pass over whole rollouts
};

/// The loss of an algorithm that learns from rollouts. Immutable; safe to use from many threads.
class RolloutLoss {
 public:
  virtual ~RolloutLoss() = default;

  /// The demands of this loss on the system.
  [[nodiscard]] virtual Needs needs() const { return {}; }

  /// The loss as it is after `steps` steps of all environments, where its numbers follow a
  /// schedule; null: it is always this one. Its needs are those of this loss. Updates in passes ask
  /// once before prepare(); updates of one pass do not ask.
  [[nodiscard]] virtual std::shared_ptr<const RolloutLoss> at(std::int64_t /*steps*/) const {
    return nullptr;
  }

  /// Computes advantages and returns, once for an update's experience and before the passes over
  /// it.
  virtual void prepare(std::span<Rollout* const> /*rollouts*/) const {}

  /// The loss over a rollout's T * B samples, in the order of the heads. Each sample counts
  /// `weight` times; 1 / samples of the whole update makes a mean. Writes the gradient with respect
  /// to the heads.
  virtual LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                         const Heads& gradient) const = 0;
};

}  // namespace tandem
