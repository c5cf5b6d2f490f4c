// HTS-RL's Figures 3 a to c: what the paper derives (section 4.2), simulated and measured with the
// environment `latency`, whose steps take exponentially distributed times asleep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/study/step_times.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// Steps per second of environments side by side that wait for each other every alpha steps.
/// Value type.
struct RuntimeRow {
  std::string figure;  // "a": over mean_ms; "b": over alpha
  std::string system;
  bool a2c = false;          // it waits at each step
  double mean_ms = 0;        // of a step, as asked for
  std::int64_t alpha = 1;    // 1 for A2C
  StepTime step;             // as measured, with what waking up takes
  double actor_seconds = 0;  // c, of a step
  double claimed = 0;        // Claim 1
  double simulated = 0;      // the time of steps alone, without a machine's limits
  double measured = 0;       // whole training, learning included
};

/// How far the policy that acts is behind the one that learns. Value type.
struct LatencyRow {
  std::int64_t actors = 1;  // of IMPALA, each with one environment
  double load = 0;          // n rho_0: the share of its time that the learner has work, measured
  double claimed = 0;       // Claim 2 for that load
  double simulated = 0;     // its queue
  double queue = 0;         // unrolls that an unroll found waiting, measured
  double lag = 0;           // updates, measured: those since the unroll began, too
};

/// Of one training each. Value type.
struct HtsRuntimeTask {
  std::int64_t envs = 16;
  double seconds = 6;  // longer where a round of alpha steps takes long
};

/// HTS-RL with as many executors as environments.
[[nodiscard]] RuntimeRow measure_hts_runtime(const HtsRuntimeTask& task, double mean_ms,
                                             std::int64_t alpha,
                                             const StopRequested& stop_requested);

/// A2C that waits for all environments at each step: PAAC with one group and a worker for each.
[[nodiscard]] RuntimeRow measure_a2c_runtime(const HtsRuntimeTask& task, double mean_ms,
                                             const StopRequested& stop_requested);

/// IMPALA with unrolls of five steps and an update for each.
[[nodiscard]] LatencyRow measure_latency(const HtsRuntimeTask& task, double mean_ms,
                                         std::int64_t actors, const StopRequested& stop_requested);

/// For runtime.csv and latency.csv.
[[nodiscard]] std::string runtime_csv(const std::vector<RuntimeRow>& rows);
[[nodiscard]] std::string latency_csv(const std::vector<LatencyRow>& rows);

/// For a terminal of this width. The runtimes' last column is relative to A2C's rate with the same
/// step times, where that is among the rows.
[[nodiscard]] std::string runtime_table(const std::vector<RuntimeRow>& rows, int width);
[[nodiscard]] std::string latency_table(const std::vector<LatencyRow>& rows, int width);

}  // namespace tandem
