// What learns from a replay.
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

/// Algorithm 2 of Ape-X, lines 5 to 7: moves a model by batches of replayed transitions, towards
/// what target networks make of the states after them. context.threads threads share each batch.
/// Not thread-safe.
class ReplayLearner {
 public:
  /// Goes on from context.resume where there is one. The target networks are copied every
  /// algorithm.target_updates() updates. `context` and `model`, which nobody else may move, must
  /// outlive it.
  ReplayLearner(const ReplayAlgorithm& algorithm, const TrainingContext& context,
                SharedModel& model);

  /// One update, by the mean over the batch, whose priorities become those of before it. `steps`
  /// have been taken by all actors.
  UpdateReport update(SampleBatch& batch, std::int64_t steps);

  /// So far.
  [[nodiscard]] std::int64_t updates() const { return updates_; }

  /// The target networks and the number of updates; between two of them.
  void save(Checkpoint& checkpoint);

 private:
  /// What one thread differentiates with. Its copy of theta- never moves in memory.
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
  // Of each thread; gradients of one without samples are all 0.
  std::vector<Share> shares_;
  std::vector<std::vector<float>> gradients_;
};

}  // namespace tandem
