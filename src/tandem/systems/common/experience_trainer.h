// Learns from batches of experiences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/acting/network_copy.h"
#include "tandem/data/rollout_inputs.h"
#include "tandem/learn/shared_model.h"
#include "tandem/nn/batch.h"
#include "tandem/run/interval.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// GA3C's trainers (section 4.1) and IMPALA's learner: joins experiences of several actors into one
/// batch and updates the model with it. Not thread-safe; one for each thread.
class ExperienceTrainer {
 public:
  /// `context` and `model` must outlive it.
  ExperienceTrainer(const TrainingContext& context, SharedModel& model);

  /// Waits for at least `min_batch` samples, or takes the rest of a closed queue. Returns false if
  /// nothing is left.
  bool gather(TrainingQueue& queue, std::int64_t min_batch);

  /// Makes one update with the gradient of the gathered batch, summed over the samples: GA3C's
  /// equations 5 and 3 (section 5.3), or, with correction = vtrace, IMPALA's section 4.2. The
  /// report, with this trainer's own seconds, is valid until the next gather().
  UpdateReport update(std::int64_t steps);

  /// For each experience of the batch, the updates of the model between its first action and the
  /// parameters that learned from it, summed (k in GA3C's equation 4).
  [[nodiscard]] std::int64_t lag() const { return lag_; }

  /// The queue's length whenever an experience was taken from it, summed over the batch.
  [[nodiscard]] double waiting() const { return waiting_; }

  /// Thread-seconds that actors spent on the batch.
  [[nodiscard]] TimeShares playing() const;

  /// The gathered experiences, which the caller may take and overwrite.
  std::vector<std::unique_ptr<Experience>>& batch() { return batch_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Experience>>& batch() const { return batch_; }

 private:
  void record();
  void revalue_last_states();

  const ActingRule& rule_;
  const RolloutLoss& loss_;
  SharedModel& model_;
  NetworkCopy copy_;
  std::vector<float> gradient_;
  std::vector<std::unique_ptr<Experience>> batch_;
  std::int64_t samples_ = 0;
  std::int64_t lag_ = 0;
  double waiting_ = 0;
  double waited_seconds_ = 0;
  RolloutInputs inputs_;  // of the batch
  std::vector<Episode> episodes_;
  HeadsBuffer heads_, last_heads_;
};

}  // namespace tandem
