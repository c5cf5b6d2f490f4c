// Ape-X's learner, which learns from a replay.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/algo/loss_stats.h"
#include "tandem/algo/replay_algorithm.h"
#include "tandem/learn/shared_model.h"
#include "tandem/learn/target.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/interval.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// Algorithm 2 of Ape-X, lines 5 to 7: updates a model with batches of replayed transitions,
/// towards targets that the target networks compute from the last states of the transitions.
/// context.threads threads work on the shares of each batch. Not thread-safe.
class ReplayLearner {
 public:
  /// Resumes from context.resume if it is not null. Copies theta to the target networks every
  /// algorithm.target_updates() updates. Divides a batch into `shares`; their number alone, not
  /// that of the threads, decides the bits of an update. `context` and `model` must outlive it;
  /// nobody else may update the model.
  ReplayLearner(const ReplayAlgorithm& algorithm, const TrainingContext& context,
                SharedModel& model, int shares);

  /// Makes one update with the mean gradient of the batch. Sets the batch's priorities, computed
  /// with the parameters before the update. `steps` counts the steps of all actors.
  UpdateReport update(SampleBatch& batch, std::int64_t steps);

  /// The number of updates so far.
  [[nodiscard]] std::int64_t updates() const { return updates_; }

  /// Saves the target networks and the number of updates; call it between two updates.
  void save(Checkpoint& checkpoint);

 private:
  /// The networks of one share. Its copy of theta- never moves in memory, because the gradient
  /// refers to it.
  struct Share {
    std::vector<float> theta_minus;
    std::optional<std::int64_t> version = std::nullopt;  // of theta-
    std::unique_ptr<ReplayGradient> gradient = nullptr;
    LossStats stats = {};
  };

  Share make_share(const ReplayAlgorithm& algorithm, const TrainingContext& context) const;
  void differentiate(Share& share, const Samples& samples, double weight,
                     std::span<float> gradient) const;

  SharedModel& model_;
  std::int64_t updates_ = 0;
  TargetParameters target_;
  Workers workers_;
  // Each has one entry for each share; the gradient of a share without samples is all 0.
  std::vector<Share> shares_;
  std::vector<std::vector<float>> gradients_;
};

}  // namespace tandem
