// An algorithm: how to act, and what to learn from it.
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
  /// What is learned: from rollouts, or from a replay.
  std::variant<std::shared_ptr<const RolloutLoss>, std::shared_ptr<const ReplayAlgorithm>> learning;
  bool value_head = true;                 // whether networks need one
  Metrics metrics = kActorCriticMetrics;  // what its LossStats have

  /// Of an algorithm that learns from rollouts. A training is assembled of a system and an
  /// algorithm that fit, and so std::bad_variant_access is a bug.
  [[nodiscard]] const RolloutLoss& rollout_loss() const {
    return *std::get<std::shared_ptr<const RolloutLoss>>(learning);
  }

  /// Of an algorithm that learns from a replay; otherwise as rollout_loss().
  [[nodiscard]] const ReplayAlgorithm& replay() const {
    return *std::get<std::shared_ptr<const ReplayAlgorithm>>(learning);
  }
};

}  // namespace tandem
