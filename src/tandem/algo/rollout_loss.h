// Learning from rollouts: from recent experience, in the order in which it was made.
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

/// Several passes over the same experience. Each goes through all samples in a new random order, in
/// minibatches.
/// Value type.
struct Passes {
  std::int64_t epochs = 1;       // passes over all samples
  std::int64_t minibatches = 1;  // of each pass
};

/// The demands of a loss on the system in which it learns. Value type.
struct Needs {
  Bootstrap bootstrap = Bootstrap::last_state;  // the states whose values it uses
  std::int64_t target_steps = 0;  // steps between two refreshes of its target network; 0: none
  bool off_policy = false;        // the learning parameters must value the last states
  std::optional<Passes> passes = std::nullopt;  // empty: one pass over whole rollouts
};

/// The loss of an algorithm that learns from rollouts. Immutable; safe to use from many threads.
class RolloutLoss {
 public:
  virtual ~RolloutLoss() = default;

  /// The demands of this loss on the system.
  [[nodiscard]] virtual Needs needs() const { return {}; }

  /// The loss after `steps` steps of all environments, if hyperparameters follow a schedule; null:
  /// the loss never changes. The returned loss must have the same needs. Each update calls this
  /// once, before prepare().
  [[nodiscard]] virtual std::shared_ptr<const RolloutLoss> at(std::int64_t /*steps*/) const {
    return nullptr;
  }

  /// Computes advantages and returns, once for an update's experience and before the passes over
  /// it.
  virtual void prepare(std::span<Rollout* const> /*rollouts*/) const {}

  /// The loss over a rollout's T * B samples, in the order of the heads. Each sample's loss is
  /// multiplied by `weight`; with 1 / (samples of the whole update) the sum is a mean. Writes the
  /// gradient with respect to the heads.
  virtual LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                         const Heads& gradient) const = 0;
};

/// The loss of one update: that of a loss's schedule after `steps` steps, or the loss itself, which
/// must outlive this. Immutable; safe to use from many threads.
class ScheduledLoss {
 public:
  /// The loss after `steps` steps of all environments.
  ScheduledLoss(const RolloutLoss& loss, std::int64_t steps)
      : scheduled_(loss.at(steps)), loss_(scheduled_ != nullptr ? *scheduled_ : loss) {}

  /// The loss to use in this update.
  const RolloutLoss& operator*() const { return loss_; }

  /// Calls a function of that loss.
  const RolloutLoss* operator->() const { return &loss_; }

 private:
  const std::shared_ptr<const RolloutLoss> scheduled_;
  const RolloutLoss& loss_;
};

}  // namespace tandem
