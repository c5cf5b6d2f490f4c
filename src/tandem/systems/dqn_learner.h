// The learner of Ape-X DQN.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/algo/dqn.h"
#include "tandem/learn/shared_model.h"
#include "tandem/learn/target.h"
#include "tandem/policy/network_copy.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/run/interval.h"
#include "tandem/systems/parts.h"

namespace tandem {

/// Algorithm 2, lines 5 to 7: moves the model by batches of replayed transitions, towards what a
/// target network makes of the states after them. Not thread-safe.
class DqnLearner {
 public:
  /// Goes on from parts.resume where there is one. `parts` and `model` must outlive it, and nobody
  /// else may move the model.
  DqnLearner(const DqnConfig& config, const Parts& parts, SharedModel& model);

  /// One update, by the mean over the batch; its priorities become those of after it. `steps` have
  /// been taken by all actors.
  UpdateReport update(SampleBatch& batch, std::int64_t steps);

  /// So far.
  [[nodiscard]] std::int64_t updates() const { return updates_; }

  /// The target network and the number of updates; between two of them.
  void save(Checkpoint& checkpoint);

 private:
  /// Room for the heads of a batch.
  struct Outputs {
    std::vector<float> logits;
    std::vector<float> value;

    Heads heads(const Architecture& architecture, std::int64_t batch);
  };

  const DqnConfig config_;
  SharedModel& model_;
  std::unique_ptr<Network> network_;  // over the model's own parameters: nobody else moves them
  std::int64_t updates_ = 0;
  TargetParameters target_parameters_;
  std::optional<NetworkCopy> target_;
  Outputs now_, next_online_, next_target_;
  std::vector<float> gradient_;
};

}  // namespace tandem
