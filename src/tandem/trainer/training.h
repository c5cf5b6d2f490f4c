// Builds the parts that a config names and trains with them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tandem/run/checkpoint.h"
#include "tandem/run/evaluator_options.h"
#include "tandem/run/run_control.h"
#include "tandem/run/run_directory.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The means to stop and to observe a training. Value type.
struct TrainingView {
  StopRequested stop_requested = [] { return false; };  // polled by the system's threads
  std::FILE* progress = stderr;                         // null: no progress line
  std::string label = {};                               // shown before the progress
  /// Receives each line of metrics.jsonl as it is logged, every run.log_seconds: steps, rates,
  /// returns, losses. Any thread may call it, including the thread of run(), but only one at a
  /// time. It must be quick, and may call no member of the training except stop() and steps(). An
  /// exception that it throws ends the training.
  std::function<void(const nlohmann::ordered_json& line)> observe = {};
  /// Receives each line of evaluations.jsonl (run.evaluate_steps) with the next line of
  /// metrics.jsonl, or before run() returns. The rules of `observe` apply, and no two calls of the
  /// two functions overlap.
  std::function<void(const nlohmann::ordered_json& line)> observe_evaluation = {};
};

/// One training in its folder, built and ready to begin. One thread at a time may use it, except
/// for stop(), save() and steps(). Several trainings in different folders may run at once.
class Training {
 public:
  /// Makes the folder; with `resume`, finds the newest good checkpoint in it. Throws Error for
  /// mistakes that the user can mend, before it changes anything. Measuring the environment may
  /// take minutes; the control's stop() or `stop_requested` ends it, and the constructor then
  /// throws Stopped.
  Training(
      const Config& config, const std::filesystem::path& folder, bool resume,
      std::shared_ptr<RunControl> control = std::make_shared<RunControl>(),
      const StopRequested& stop_requested = [] { return false; });

  /// The config in the run's folder, with the measured values.
  [[nodiscard]] const Config& config() const { return assembly_.config(); }

  /// Trains until the run is done; call it once. Returns the reason for the end, as
  /// TrainingRun::why_done() does. Records an exception in result.json and rethrows it; Diverged
  /// means that the learning itself failed.
  std::string run(TrainingView view = {});

  /// The architecture of the network that is trained.
  [[nodiscard]] const Architecture& architecture() { return assembly_.learner().architecture(); }

  /// Ends run() soon, with a checkpoint. Any thread may call it, at any time.
  void stop() { control_->stop(); }

  /// Waits until run() has written a checkpoint of the state at this moment or later, and returns
  /// its folder. Any other thread may call it. Throws Error when run() has ended without it.
  std::filesystem::path save() { return control_->save(); }

  /// Steps of the run so far. Any thread may call it, at any time.
  [[nodiscard]] std::int64_t steps() const { return control_->steps(); }

 private:
  std::shared_ptr<RunControl> control_;
  Assembly assembly_;
  std::optional<EvaluatorOptions> evaluation_;
  RunDirectory directory_;
  std::optional<FoundCheckpoint> found_;  // the checkpoint to resume from
};

}  // namespace tandem
