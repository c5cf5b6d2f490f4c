// An algorithm: a rule for acting, and a loss to learn with.
#pragma once

#include <memory>
#include <variant>

#include "tandem/algo/acting_rule.h"
#include "tandem/algo/loss_stats.h"
#include "tandem/algo/replay_algorithm.h"
#include "tandem/algo/rollout_loss.h"

namespace tandem {

/// How to act and what to learn, made once from the config. Value type: copies share their parts,
/// which are immutable.
struct Algorithm {
  /// No pointer of an algorithm is null.
  std::shared_ptr<const ActingRule> acting;
  /// The rule of learning: from rollouts, or from a replay.
  std::variant<std::shared_ptr<const RolloutLoss>, std::shared_ptr<const ReplayAlgorithm>> learning;
  bool value_head = true;                 // whether networks need one
  Metrics metrics = kActorCriticMetrics;  // the sums that its LossStats fill

  /// For an algorithm that learns from rollouts. A training consists of a system and an algorithm
  /// that fit, so std::bad_variant_access means a bug.
  [[nodiscard]] const RolloutLoss& rollout_loss() const {
    return *std::get<std::shared_ptr<const RolloutLoss>>(learning);
  }

  /// For an algorithm that learns from a replay; otherwise like rollout_loss().
  [[nodiscard]] const ReplayAlgorithm& replay() const {
    return *std::get<std::shared_ptr<const ReplayAlgorithm>>(learning);
  }
};

}  // namespace tandem
