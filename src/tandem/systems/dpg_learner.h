// The learner of Ape-X DPG.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tandem/algo/dpg_gradient.h"
#include "tandem/learn/shared_model.h"
#include "tandem/learn/target.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/run/interval.h"
#include "tandem/systems/parts.h"

namespace tandem {

/// Algorithm 2, lines 5 to 7, with the losses of section 3.2: moves both networks, which are one
/// model, by batches of replayed transitions. Not thread-safe.
class DpgLearner {
 public:
  /// Goes on from parts.resume where there is one. `parts` and `model` must outlive it, and nobody
  /// else may move the model, whose architecture must be deterministic.
  DpgLearner(const DpgConfig& config, const Parts& parts, SharedModel& model);

  /// One update, by the mean over the batch; its priorities become those of before it. `steps` have
  /// been taken by all actors.
  UpdateReport update(SampleBatch& batch, std::int64_t steps);

  /// So far.
  [[nodiscard]] std::int64_t updates() const { return updates_; }

  /// The target networks and the number of updates; between two of them.
  void save(Checkpoint& checkpoint);

 private:
  SharedModel& model_;
  std::int64_t updates_ = 0;
  TargetParameters target_parameters_;
  std::optional<std::int64_t> target_version_;
  std::vector<float> target_;  // a copy of them, as gradient_of_ reads it
  DpgGradient gradient_of_;    // at the model's own parameters: nobody else moves them
  std::vector<float> gradient_;
};

}  // namespace tandem
