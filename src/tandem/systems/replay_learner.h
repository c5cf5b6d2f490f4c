// What learns from a replay.
#pragma once

#include <cstdint>

#include "tandem/replay/sample_batch.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/interval.h"

namespace tandem {

/// Algorithm 2 of Ape-X, lines 5 to 7: moves a model by batches of replayed transitions, towards
/// what target networks make of the states after them. One is made over a model that nobody else
/// may move, and goes on from a checkpoint where there is one. Not thread-safe.
class ReplayLearner {
 public:
  virtual ~ReplayLearner() = default;

  /// One update, by the mean over the batch; its priorities become those of after it. `steps` have
  /// been taken by all actors.
  virtual UpdateReport update(SampleBatch& batch, std::int64_t steps) = 0;

  /// So far.
  [[nodiscard]] virtual std::int64_t updates() const = 0;

  /// The target networks and the number of updates; between two of them.
  virtual void save(Checkpoint& checkpoint) = 0;
};

}  // namespace tandem
