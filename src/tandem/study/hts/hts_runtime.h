// HTS-RL's Figures 3 a to c, from the paper's formulas (section 4.2), from simulations and from
// measurements. The steps of the environment `latency` sleep for exponentially distributed times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/study/step_times.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// Steps per second of parallel environments that wait for each other every alpha steps. Value
/// type.
struct RuntimeRow {
  std::string figure;  // "a": mean_ms varies; "b": alpha varies
  std::string system;
  bool a2c = false;          // A2C, which waits at each step
  double mean_ms = 0;        // requested mean time of a step
  std::int64_t alpha = 1;    // 1 for A2C
  StepTime step;             // as measured, including the time to wake up
  double actor_seconds = 0;  // c in the paper: the time of an action for one step
  double claimed = 0;        // steps per second by Claim 1; NaN where it does not hold
  double simulated = 0;      // with random step times, but without a machine's limits
  double measured = 0;       // in a whole training, with learning
};

/// The lag between the acting and the learning policy. Value type.
struct LatencyRow {
  std::int64_t actors = 1;  // actors of IMPALA, each with one environment
  double load = 0;          // n rho_0, measured: the share of time in which the learner has work
  double claimed = 0;       // updates by Claim 2, for that load
  double simulated = 0;     // of a simulated queue with that load
  double queue = 0;         // measured: unrolls in the queue when the learner takes one
  double lag = 0;           // measured: updates since the unroll began
};

/// The settings of each row's training. Value type.
struct HtsRuntimeTask {
  std::int64_t envs = 16;
  double seconds = 6;  // of training; more if a round of alpha steps takes long
};

/// Measures HTS-RL with as many executors as environments.
[[nodiscard]] RuntimeRow measure_hts_runtime(const HtsRuntimeTask& task, double mean_ms,
                                             std::int64_t alpha,
                                             const StopRequested& stop_requested);

/// Measures A2C, which waits for all environments at each step: PAAC with one group and a worker
/// for each environment.
[[nodiscard]] RuntimeRow measure_a2c_runtime(const HtsRuntimeTask& task, double mean_ms,
                                             const StopRequested& stop_requested);

/// Measures IMPALA with unrolls of five steps and one update for each unroll.
[[nodiscard]] LatencyRow measure_latency(const HtsRuntimeTask& task, double mean_ms,
                                         std::int64_t actors, const StopRequested& stop_requested);

/// The text of runtime.csv or latency.csv.
[[nodiscard]] std::string runtime_csv(const std::vector<RuntimeRow>& rows);
[[nodiscard]] std::string latency_csv(const std::vector<LatencyRow>& rows);

/// Tables for a terminal of this width. The last column of the runtimes gives the rate relative to
/// A2C's rate with the same step times, if the rows include that.
[[nodiscard]] std::string runtime_table(const std::vector<RuntimeRow>& rows, int width);
[[nodiscard]] std::string latency_table(const std::vector<LatencyRow>& rows, int width);

}  // namespace tandem
