// Builds the parts that a config names and trains with them.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// How a training is stopped and shown. Value type.
struct TrainingView {
  StopRequested stop_requested = [] { return false; };  // polled by the system's threads
  std::FILE* progress = stderr;                         // null: none
  std::string label = {};                               // before the progress
  /// Gets each line of metrics.jsonl as it is logged, every run.log_seconds: steps, rates, returns,
  /// losses. Called by any thread, also by that of run(), one call at a time; it must be quick, and
  /// must not call the training, but for stop(). What it throws ends the training.
  std::function<void(const nlohmann::ordered_json& line)> observe = {};
};

/// One training in its folder, built and ready to begin. One thread at a time; several trainings
/// in folders of their own may run at once.
class Training {
 public:
  /// Makes the folder, or with `resume` takes the newest good checkpoint there. Throws Error for
  /// what the user can mend, and has touched nothing then.
  Training(const Config& config, const std::filesystem::path& folder, bool resume);

  /// As it stands in the run's folder, with the numbers that were measured.
  [[nodiscard]] const Config& config() const { return assembly_.config(); }

  /// Trains until the run is done; to be called once. Returns why it ended, as
  /// TrainingRun::why_done(). What it throws stands in result.json, too: Diverged when the learning
  /// itself failed.
  std::string run(TrainingView view = {});

  /// Of the network that is trained.
  [[nodiscard]] const Architecture& architecture() { return assembly_.learner().architecture(); }

  /// Ends run() soon, with a checkpoint. Any thread may call it, at any time.
  void stop() { stopped_ = true; }

 private:
  Assembly assembly_;
  RunDirectory directory_;
  std::optional<FoundCheckpoint> found_;  // where to go on from
  std::atomic<bool> stopped_ = false;
};

}  // namespace tandem
