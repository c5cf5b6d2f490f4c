#include "tandem/run/checkpoint_loop.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tandem {
namespace {

/// Holds a system for as long as it exists. An error thus releases the system too; held threads
/// could not end.
class Held {
 public:
  explicit Held(Checkpointed& system) : system_(system) { system_.hold(); }
  ~Held() { system_.release(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  Checkpointed& system_;
};

/// Sets a mark for as long as it exists.
class Marked {
 public:
  explicit Marked(std::atomic<bool>& mark) : mark_(mark) { mark_ = true; }
  ~Marked() { mark_ = false; }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;

 private:
  std::atomic<bool>& mark_;
};

}  // namespace

CheckpointLoop::CheckpointLoop(Checkpointed& system, TrainingRun& run, Crew& crew,
                               double poll_seconds)
    : system_(system), run_(run), crew_(crew), poll_seconds_(poll_seconds) {}

void CheckpointLoop::run() {
  try {
    for (wait_until_due(); !run_.done(); wait_until_due()) save();
    save_last();
  } catch (const Stopped&) {
    // join() throws the error that stopped the crew.
  }
  crew_.stop();
  crew_.join();
}

void CheckpointLoop::look() {
  // While a checkpoint is written, no time passes for an evaluation that is due.
  if (writes() || !due()) return;
  const Lock lock(mutex_);
  due_changed_.notify_all();
}

void CheckpointLoop::wait_until_due() {
  const std::chrono::duration<double> poll(poll_seconds_);
  WaitLock lock(mutex_);
  while (true) {
    // A stop comes first, because a checkpoint may always be due: after an error, perhaps no thread
    // is left that could bring the run to its end.
    if (crew_.stop_token().stop_requested()) throw Stopped();
    if (due()) return;
    system_.meanwhile();
    due_changed_.wait_for(lock, crew_.stop_token(), poll, [this] { return due(); });
  }
}

void CheckpointLoop::save() {
  const Marked marked(writes_);
  Checkpoint checkpoint;
  std::optional<std::int64_t> step;
  {
    const Held held(system_);
    // An error while hold() waited has left something half done (StopOnFailure).
    if (crew_.stop_token().stop_requested()) throw Stopped();
    system_.collect(checkpoint);
    step = run_.stamp(checkpoint, system_.may_write());
  }
  if (step) run_.write(checkpoint, *step);
}

void CheckpointLoop::save_last() {
  system_.finish();
  Checkpoint checkpoint;
  system_.collect(checkpoint);
  run_.save(checkpoint);
}

}  // namespace tandem
