// The loop of a run whose threads are its system's: wait until a checkpoint is due, write it, go
// on.
#pragma once

#include <condition_variable>

#include "tandem/run/checkpoint.h"
#include "tandem/run/training_run.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// A system whose threads train while another one writes its checkpoints. Every function is called
/// by the thread of CheckpointLoop::run(). All but release() may throw; Stopped means that the crew
/// was stopped meanwhile.
class Checkpointed {
 public:
  virtual ~Checkpointed() = default;

  /// Returns once nothing changes that collect() reads. When it throws, the run ends.
  virtual void hold() = 0;

  /// Copies the state into `checkpoint`. What takes long goes into its pieces, which are read
  /// later, while the threads go on.
  virtual void collect(Checkpoint& checkpoint) = 0;

  /// Lets the threads go on after hold(), also when collect() threw.
  virtual void release() = 0;

  /// In place of hold() for the last checkpoint: every step that was played is counted, and nothing
  /// changes any more.
  virtual void finish() = 0;

  /// Called again and again between two checkpoints.
  virtual void meanwhile() {}
};

/// Writes a run's checkpoints until it is done. Synchronous systems need no such loop: between two
/// updates nothing moves, so they save there (PAAC, A3C, HTS-RL). A checkpoint is of the moment at
/// which it was held; it is written after the release, so that the disk keeps nobody waiting. run()
/// belongs to one thread, look() to any.
class CheckpointLoop {
 public:
  /// Looks at the run every `poll_seconds`: a user may ask for a stop between two updates. All
  /// three must outlive the loop.
  CheckpointLoop(Checkpointed& system, TrainingRun& run, Crew& crew,
                 double poll_seconds = kPollSeconds);

  /// Returns when the run is done, its last checkpoint is written and the crew has ended. Throws
  /// the error that stopped the crew, or the first one of the system or of writing; then the
  /// crew's threads may still run, and its owner ends them.
  void run();

  /// Wakes run() where it has something to do. For threads that have just recorded an update, so
  /// that little is played beyond the moment at which a checkpoint is due.
  void look();

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
  Mutex mutex_;  // guards no member: run() looks once more under it before it sleeps
  std::condition_variable_any due_changed_;
};

}  // namespace tandem
