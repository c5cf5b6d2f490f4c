// HTS-RL's Figure 4, left: how many times faster than A2C HTS-RL is, by the variance of the step
// times of real environments. The environment `latency` sleeps for the times that were recorded in
// them, so that many environments step side by side on few cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/study/step_times.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// The settings of all trainings. Value type.
struct HtsStepTimesTask {
  std::int64_t envs = 16;    // and executors
  std::int64_t alpha = 128;  // HTS-RL's steps between two synchronisations; A2C's: 1
  double seconds = 6;        // of a training; more if a round of alpha steps takes long
};

/// The steps per second of one system. Value type.
struct ScenarioRates {
  double actor_seconds = 0;  // c in the paper: the time of an action for one step
  /// By Claim 1, equation 7, from the mean and deviation of a step. NaN where its limit of many
  /// environments is too far: it would take less time than steps without any waiting.
  double claimed = 0;
  double simulated = 0;  // with the recorded times, but without a machine's limits
  double measured = 0;   // in a whole training, with learning
};

/// A file of recorded step times, and both systems with them. Value type.
struct StepTimesRow {
  std::string scenario;       // the file's name, without its ending
  std::int64_t recorded = 0;  // times in the file
  StepTime file;              // their mean and deviation
  StepTime step;              // of all environments as they sleep, including the time to wake up
  ScenarioRates a2c;
  ScenarioRates hts;

  /// The variance of a step's time in square milliseconds.
  [[nodiscard]] double variance_ms2() const { return 1e6 * step.deviation * step.deviation; }
};

/// Measures A2C, which waits for all environments at each step, and HTS-RL, with the times of a
/// file. Throws Error when the file is bad, and when `stop_requested` returns true.
[[nodiscard]] StepTimesRow measure_hts_step_times(const HtsStepTimesTask& task,
                                                  const std::string& file,
                                                  const StopRequested& stop_requested);

/// The text of step_times.csv.
[[nodiscard]] std::string step_times_csv(const HtsStepTimesTask& task,
                                         const std::vector<StepTimesRow>& rows);

/// A table for a terminal of this width. Its last columns are the rates of HTS-RL relative to
/// A2C's.
[[nodiscard]] std::string step_times_table(const std::vector<StepTimesRow>& rows, int width);

}  // namespace tandem
