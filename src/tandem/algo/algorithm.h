// An algorithm: a rule for acting and a loss for learning.
#pragma once

#include <memory>
#include <variant>

#include "tandem/algo/acting_rule.h"
#include "tandem/algo/loss_stats.h"
#include "tandem/algo/replay_algorithm.h"
#include "tandem/algo/rollout_loss.h"

namespace tandem {

/// An agent's rules for acting and learning, made once from the config. Value type: copies share
/// their parts, which are immutable.
struct Algorithm {
  /// The rule for acting; never null.
  std::shared_ptr<const ActingRule> acting;
  /// The rule for learning, from rollouts or from a replay; never null.
  std::variant<std::shared_ptr<const RolloutLoss>, std::shared_ptr<const ReplayAlgorithm>> learning;
  bool value_head = true;                 // whether networks need a value head
  Metrics metrics = kActorCriticMetrics;  // the sums that it fills in LossStats

  /// The loss of an algorithm that learns from rollouts; throws std::bad_variant_access for others.
  /// A run's system and algorithm always fit, so this exception means a bug.
  [[nodiscard]] const RolloutLoss& rollout_loss() const {
    return *std::get<std::shared_ptr<const RolloutLoss>>(learning);
  }

  /// The same for an algorithm that learns from a replay.
  [[nodiscard]] const ReplayAlgorithm& replay() const {
    return *std::get<std::shared_ptr<const ReplayAlgorithm>>(learning);
  }
};

}  // namespace tandem
