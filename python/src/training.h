// A training as Python uses it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "caller.h"
#include "training_thread.h"

namespace tandem::python {

/// A training for the Python class tandem.Training. All functions need the GIL. The waiting ones
/// release it and let Python handle signals, whose exceptions they throw as
/// nanobind::python_error. Any thread may call them, but next() only one at a time. All throw Error
/// in a forked process.
class Training {
 public:
  /// Begins the training.
  explicit Training(TrainingOrder order);

  /// Waits until the training is built and runs; call it once, before all but end_for_good().
  /// Throws the error of building. If a signal handler raises meanwhile, the training ends.
  void wait_until_built();

  /// Ends the training as close() does, and reports an error that nobody has taken as a message.
  /// Does nothing in a forked process, where the training's threads are missing.
  ~Training();
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  /// The run's folder, its default preset, if that was chosen, and the steps of the whole run.
  [[nodiscard]] const TrainingFacts& facts() const { return facts_; }
  /// Steps so far, including those before a resume.
  [[nodiscard]] std::int64_t steps() const;
  /// Whether the training has ended. There may still be metrics to take.
  [[nodiscard]] bool ended() const;

  /// The next line of metrics, as JSON. Waits at most so many seconds; the line is empty if none
  /// came. None at the end. Throws the error that ended the training, once.
  std::optional<std::string> next(double seconds);

  /// Asks the training to end with a checkpoint; returns at once.
  void stop();

  /// Waits for a checkpoint of a state from now on, and returns its folder. When the training ends
  /// without it, throws the error that ended it, or Error if that has been thrown before.
  std::string save();

  /// Ends the training with a checkpoint. Waits until it has ended and no other thread is in a
  /// call. More calls do nothing.
  void close();

  /// The same at the interpreter's end: further calls are refused, and a training that is not built
  /// yet waits for no environment any more.
  void end_for_good();

  /// Throws the error that ended the training, unless it has been thrown before. Does nothing in a
  /// forked process, as close().
  void raise_error();

 private:
  void end();

  Occupancy occupancy_{
      "this training belongs to another process, of which this one is a fork: its threads are not "
      "here. Train after the fork, or start processes by spawn",
      "another thread is waiting for the metrics of this training. Let one thread at a time "
      "iterate "
      "over it"};
  Visitors waiting_;  // threads within wait_until_built(), next() and save()
  TrainingFacts facts_;
  bool left_ = false;  // whether another thread waits for the end instead of the destructor
  std::shared_ptr<TrainingThread> thread_;  // never null
};

/// Adds the class to the extension module.
void bind_training(nanobind::module_& module);

}  // namespace tandem::python
