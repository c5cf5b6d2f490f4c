// The loop of a run whose system has its own threads: wait until a checkpoint is due, write it, go
// on.
#pragma once

#include <atomic>
#include <condition_variable>

#include "tandem/run/checkpoint.h"
#include "tandem/run/training_run.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// A system whose threads train while another thread writes checkpoints. The thread of
/// CheckpointLoop::run() calls every function. All except release() may throw; Stopped means that
/// the crew was stopped meanwhile.
class Checkpointed {
 public:
  virtual ~Checkpointed() = default;

  /// Blocks until no thread can change the state that collect() reads. If it throws, the run ends.
  virtual void hold() = 0;

  /// Copies the state into `checkpoint`. Large states go into its pieces, which are written later,
  /// while the threads go on.
  virtual void collect(Checkpoint& checkpoint) = 0;

  /// Lets the threads go on after hold(), even if collect() threw.
  virtual void release() = 0;

  /// Whether the checkpoint may be written. If it lacks what an evaluation does not need, it may
  /// not, and a checkpoint that has become due meanwhile is made next.
  [[nodiscard]] virtual bool may_write() const { return true; }

  /// Replaces hold() for the last checkpoint. Afterwards every step is counted, and the state no
  /// longer changes.
  virtual void finish() = 0;

  /// Called at every poll between two checkpoints.
  virtual void meanwhile() {}
};

/// Writes a run's checkpoints until it is done. Synchronous systems (PAAC, HTS-RL) and A3C need no
/// such loop, because they save while no thread works. A checkpoint shows the state at hold() and
/// is written after release(), so that no thread waits for the disk. run() belongs to one thread;
/// any thread may call look().
class CheckpointLoop {
 public:
  /// Checks the run every `poll_seconds`, because a user may ask for a stop between two updates.
  /// The system, the run and the crew must outlive the loop.
  CheckpointLoop(Checkpointed& system, TrainingRun& run, Crew& crew,
                 double poll_seconds = kPollSeconds);

  /// Returns when the run is done, its last checkpoint is written and the crew has ended. Throws
  /// the error that stopped the crew, or the first error of the system or of writing. The crew's
  /// threads may then still run, and its owner ends them.
  void run();

  /// Wakes run() if it has something to do. Threads call it after they record an update, so that
  /// they play little beyond the moment at which a checkpoint is due.
  void look();

  /// Whether a checkpoint is being made or written, so that its pieces take memory.
  [[nodiscard]] bool writes() const { return writes_.load(std::memory_order_relaxed); }

  /// The pause between two checks of the run.
  static constexpr double kPollSeconds = 0.05;

 private:
  [[nodiscard]] bool due() const { return run_.done() || run_.checkpoint_due(); }
  void wait_until_due();
  void save();
  void save_last();

  Checkpointed& system_;
  TrainingRun& run_;
  Crew& crew_;
  const double poll_seconds_;
  std::atomic<bool> writes_ = false;
  Mutex mutex_;  // guards no member; with it, run() misses no notification by look()
  std::condition_variable_any due_changed_;
};

}  // namespace tandem
