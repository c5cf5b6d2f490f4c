// The log entries of Ape-X.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tandem/acting/actor_played.h"
#include "tandem/replay/table.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/apex/returns_by_epsilon.h"

namespace tandem {

/// Reports the steps of actors and the updates of the learner to the run, with measurements that
/// the paper and its appendices show. Any thread may call any function, but only one thread at a
/// time record_update().
class ApexReport {
 public:
  /// The number of the replay's priorities that each update logs.
  static constexpr std::int64_t kPriorities = 100;

  /// `epsilons`: of each environment; `inserted`: transitions of earlier parts of the run. `run`
  /// must outlive this.
  ApexReport(std::span<const float> epsilons, std::int64_t inserted, TrainingRun& run);

  /// Reports an actor's play, and the time that it waited to insert.
  void record_played(ActorPlayed played, double waited_seconds);

  /// Reports an update with `batch`. `state` is the replay's state after it, `priorities` are about
  /// kPriorities of its priorities, and `ahead` is the number of batches drawn in advance.
  void record_update(UpdateReport learned, const SampleBatch& batch, const TableState& state,
                     std::span<const float> priorities, std::size_t ahead);

  /// Records how long the actors and the learner rested for a checkpoint.
  void add_rest(double seconds) { rested_seconds_ = seconds; }

 private:
  TrainingRun& run_;
  ReturnsByEpsilon returns_;
  std::atomic<double> rested_seconds_ = 0;  // for the last checkpoint; 0 once reported
  std::int64_t inserted_;                   // transitions inserted until the last record_update()
};

}  // namespace tandem
