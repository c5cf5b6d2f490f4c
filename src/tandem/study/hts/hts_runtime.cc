#include "tandem/study/hts/hts_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/streams.h"
#include "tandem/io/csv.h"
#include "tandem/io/text_table.h"
#include "tandem/study/hts/sleeping_training.h"
#include "tandem/study/impala/learner_lag.h"
#include "tandem/study/paac/a2c.h"

namespace tandem {
namespace {

constexpr std::int64_t kUnroll = 5;  // steps of IMPALA's unrolls in this study

RuntimeRow runtime_row(const Config& config, double mean_ms, std::int64_t alpha,
                       const HtsRuntimeTask& task, const StopRequested& stop_requested) {
  constexpr double kLeastRounds = 10;
  constexpr int kSimulatedRounds = 4000;
  const double round = 1e-3 * mean_ms * static_cast<double>(alpha);
  RuntimeRow row{.figure = {},
                 .system = config.system_name,
                 .mean_ms = mean_ms,
                 .alpha = alpha,
                 .step = measure_step_times(config.env, 0.2 * task.seconds,
                                            static_cast<int>(task.envs), stop_requested)
                             .step};
  const auto measured =
      measure_sleeping(config, std::max(task.seconds, kLeastRounds * round), stop_requested);
  row.actor_seconds = measured.actor_seconds;
  row.measured = measured.steps_per_second;
  const Synchronisation what{
      .envs = task.envs, .alpha = alpha, .step = row.step, .actor_seconds = row.actor_seconds};
  row.claimed = claimed_rate(what);
  Stream stream(1, streams::kSimulations.id(1));
  row.simulated = 1 / simulated_seconds_per_state(what, kSimulatedRounds, stream);
  return row;
}

std::string finite(double value) {
  return std::isfinite(value) ? fmt::format("{:.2f}", value) : "without end";
}

}  // namespace

RuntimeRow measure_hts_runtime(const HtsRuntimeTask& task, double mean_ms, std::int64_t alpha,
                               const StopRequested& stop_requested) {
  const auto config = hts_config(task.envs, alpha, exponential_sleep(mean_ms));
  return runtime_row(config, mean_ms, alpha, task, stop_requested);
}

RuntimeRow measure_a2c_runtime(const HtsRuntimeTask& task, double mean_ms,
                               const StopRequested& stop_requested) {
  const auto config = a2c_config(task.envs, exponential_sleep(mean_ms));
  auto row = runtime_row(config, mean_ms, 1, task, stop_requested);
  row.a2c = true;
  return row;
}

LatencyRow measure_latency(const HtsRuntimeTask& task, double mean_ms, std::int64_t actors,
                           const StopRequested& stop_requested) {
  constexpr int kSimulatedArrivals = 400'000;
  const auto found = measure_learner_lag(actors, kUnroll, exponential_sleep(mean_ms), task.seconds,
                                         stop_requested);
  LatencyRow row{.actors = actors, .load = found.load, .queue = found.queue, .lag = found.lag};
  // The load does not depend on the unit of the rates.
  const AsynchronousLearning learning{
      .actors = actors, .actor_rate = row.load / static_cast<double>(actors), .learner_rate = 1};
  Stream stream(1, streams::kSimulations.id(2));
  row.claimed = expected_latency(learning);
  row.simulated = simulated_latency(learning, kSimulatedArrivals, stream);
  return row;
}

std::string runtime_csv(const std::vector<RuntimeRow>& rows) {
  auto text = csv_line({"figure", "system", "mean_ms", "alpha", "step_seconds",
                        "step_seconds_deviation", "actor_seconds", "claimed_steps_per_second",
                        "simulated_steps_per_second", "measured_steps_per_second"});
  for (const auto& row : rows) {
    std::vector<std::string> words = {row.figure, row.system, fmt::format("{:g}", row.mean_ms),
                                      fmt::format("{}", row.alpha)};
    for (const double value : {row.step.mean, row.step.deviation, row.actor_seconds, row.claimed,
                               row.simulated, row.measured}) {
      words.push_back(fmt::format("{:.6g}", value));
    }
    text += csv_line(words);
  }
  return text;
}

std::string latency_csv(const std::vector<LatencyRow>& rows) {
  auto text = csv_line({"actors", "load", "claimed_updates", "simulated_updates", "measured_queue",
                        "measured_lag_updates"});
  for (const auto& row : rows) {
    text += csv_line({fmt::format("{}", row.actors), fmt::format("{:.6g}", row.load),
                      fmt::format("{:.6g}", row.claimed), fmt::format("{:.6g}", row.simulated),
                      fmt::format("{:.6g}", row.queue), fmt::format("{:.6g}", row.lag)});
  }
  return text;
}

std::string runtime_table(const std::vector<RuntimeRow>& rows, int width) {
  std::vector<std::vector<std::string>> table = {{"FIGURE", "SYSTEM", "MEAN STEP", "ALPHA",
                                                  "CLAIM 1", "SIMULATED", "MEASURED", "OF CLAIM 1",
                                                  "TIMES A2C"}};
  for (const auto& row : rows) {
    const auto a2c = std::ranges::find_if(rows, [&](const RuntimeRow& other) {
      return other.a2c && other.figure == row.figure && other.mean_ms == row.mean_ms;
    });
    table.push_back(
        {row.figure, row.a2c ? fmt::format("a2c ({})", row.system) : row.system,
         time_text(row.step.mean), fmt::format("{}", row.alpha),
         std::isnan(row.claimed) ? "-" : fmt::format("{:.0f}", row.claimed),
         fmt::format("{:.0f}", row.simulated), fmt::format("{:.0f}", row.measured),
         std::isnan(row.claimed) ? "-" : fmt::format("{:.0f}%", 100 * row.measured / row.claimed),
         a2c == rows.end() ? "" : fmt::format("{:.2f}", row.measured / a2c->measured)});
  }
  return format_table(table, width);
}

std::string latency_table(const std::vector<LatencyRow>& rows, int width) {
  std::vector<std::vector<std::string>> table = {
      {"ACTORS", "LEARNER BUSY", "CLAIM 2", "SIMULATED", "QUEUE FOUND", "LAG MEASURED"}};
  for (const auto& row : rows) {
    table.push_back({fmt::format("{}", row.actors), fmt::format("{:.0f}%", 100 * row.load),
                     finite(row.claimed), finite(row.simulated), finite(row.queue),
                     finite(row.lag)});
  }
  return format_table(table, width);
}

}  // namespace tandem
