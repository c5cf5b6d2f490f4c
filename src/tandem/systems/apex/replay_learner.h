// What learns from a replay.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tandem/algo/loss_stats.h"
#include "tandem/learn/shared_model.h"
#include "tandem/learn/target.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/interval.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/common/parts.h"

namespace tandem {

/// The loss of replayed transitions, for one thread. Not thread-safe.
class ReplayLoss {
 public:
  virtual ~ReplayLoss() = default;

  /// Overwrites `gradient` with that of the sum over the samples, each times `weight`, and their
  /// priorities with what they are by the parameters as they are now.
  virtual LossStats differentiate(const Samples& samples, double weight,
                                  std::span<float> gradient) = 0;
};

/// Makes the loss of one thread, over parameters theta, which nobody moves while it reads them, and
/// those of the target networks. Both outlive it.
using MakeReplayLoss = std::function<std::unique_ptr<ReplayLoss>(
    const Parts&, std::span<const float> theta, const TargetParameters& target)>;

/// Algorithm 2 of Ape-X, lines 5 to 7: moves a model by batches of replayed transitions, towards
/// what target networks make of the states after them. parts.threads threads share each batch. Not
/// thread-safe.
class ReplayLearner {
 public:
  /// Goes on from parts.resume where there is one. The target networks are copied every
  /// `target_updates` updates. `parts` and `model`, which nobody else may move, must outlive it.
  ReplayLearner(const MakeReplayLoss& make_loss, std::int64_t target_updates, const Parts& parts,
                SharedModel& model);

  /// One update, by the mean over the batch, whose priorities become those of before it. `steps`
  /// have been taken by all actors.
  UpdateReport update(SampleBatch& batch, std::int64_t steps);

  /// So far.
  [[nodiscard]] std::int64_t updates() const { return updates_; }

  /// The target networks and the number of updates; between two of them.
  void save(Checkpoint& checkpoint);

 private:
  SharedModel& model_;
  std::int64_t updates_ = 0;
  TargetParameters target_;
  Workers workers_;
  // Of each thread; gradients of one without samples are all 0.
  std::vector<std::unique_ptr<ReplayLoss>> losses_;
  std::vector<LossStats> stats_;
  std::vector<std::vector<float>> gradients_;
};

}  // namespace tandem
