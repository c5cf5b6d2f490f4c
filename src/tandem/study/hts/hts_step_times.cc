#include "tandem/study/hts/hts_step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tandem/base/streams.h"
#include "tandem/env/recorded_times.h"
#include "tandem/io/csv.h"
#include "tandem/io/text_table.h"
#include "tandem/study/hts/sleeping_training.h"
#include "tandem/study/paac/a2c.h"

namespace tandem {
namespace {

/// Measures how long the steps of all environments sleep, side by side.
StepTime measure_sleep(const Config& config, double mean, const HtsStepTimesTask& task,
                       const StopRequested& stop_requested) {
  constexpr double kLeastSteps = 100;
  const double seconds = std::max(0.2 * task.seconds, kLeastSteps * mean);
  const auto times =
      measure_step_times(config.env, seconds, static_cast<int>(task.envs), stop_requested);
  return step_time_of(times.each);
}

/// The rates of a system that synchronises every alpha steps. `times` are those of the file, with
/// the time to wake up.
ScenarioRates rates_of(const Config& config, std::int64_t alpha, const StepTimesRow& row,
                       const std::vector<double>& times, const HtsStepTimesTask& task,
                       const StopRequested& stop_requested) {
  constexpr double kFewestRounds = 10;
  constexpr int kReplayedRounds = 4000;
  const double round = row.step.mean * static_cast<double>(alpha);
  const auto measured =
      measure_sleeping(config, std::max(task.seconds, kFewestRounds * round), stop_requested);
  const Synchronisation what{
      .envs = task.envs, .alpha = alpha, .step = row.step, .actor_seconds = measured.actor_seconds};
  Stream stream(1, streams::kSimulations.id(3));
  return {.actor_seconds = what.actor_seconds,
          .claimed = claimed_rate(what),
          .simulated = 1 / replayed_seconds_per_state(what, times, kReplayedRounds, stream),
          .measured = measured.steps_per_second};
}

}  // namespace

StepTimesRow measure_hts_step_times(const HtsStepTimesTask& task, const std::string& file,
                                    const StopRequested& stop_requested) {
  auto times = read_recorded_times(file);
  StepTimesRow row;
  row.scenario = std::filesystem::path(file).stem().string();
  row.recorded = static_cast<std::int64_t>(times.size());
  row.file = step_time_of(times);
  const auto a2c = a2c_config(task.envs, recorded_sleep(file));
  const auto hts = hts_config(task.envs, task.alpha, recorded_sleep(file));
  row.step = measure_sleep(hts, row.file.mean, task, stop_requested);
  const double waking = std::max(0.0, row.step.mean - row.file.mean);
  for (auto& time : times) time += waking;
  row.a2c = rates_of(a2c, 1, row, times, task, stop_requested);
  row.hts = rates_of(hts, task.alpha, row, times, task, stop_requested);
  return row;
}

std::string step_times_csv(const HtsStepTimesTask& task, const std::vector<StepTimesRow>& rows) {
  auto text = csv_line({"scenario", "envs", "alpha", "recorded_steps", "recorded_mean_seconds",
                        "recorded_deviation_seconds", "step_seconds", "step_variance_ms2",
                        "a2c_actor_seconds", "a2c_claimed_steps_per_second",
                        "a2c_simulated_steps_per_second", "a2c_measured_steps_per_second",
                        "hts_actor_seconds", "hts_claimed_steps_per_second",
                        "hts_simulated_steps_per_second", "hts_measured_steps_per_second",
                        "claimed_speedup", "simulated_speedup", "measured_speedup"});
  for (const auto& row : rows) {
    std::vector<std::string> words = {row.scenario, fmt::format("{}", task.envs),
                                      fmt::format("{}", task.alpha),
                                      fmt::format("{}", row.recorded)};
    const auto& a2c = row.a2c;
    const auto& hts = row.hts;
    for (const double value :
         {row.file.mean, row.file.deviation, row.step.mean, row.variance_ms2(), a2c.actor_seconds,
          a2c.claimed, a2c.simulated, a2c.measured, hts.actor_seconds, hts.claimed, hts.simulated,
          hts.measured, hts.claimed / a2c.claimed, hts.simulated / a2c.simulated,
          hts.measured / a2c.measured}) {
      words.push_back(fmt::format("{:.6g}", value));
    }
    text += csv_line(words);
  }
  return text;
}

std::string step_times_table(const std::vector<StepTimesRow>& rows, int width) {
  std::vector<std::vector<std::string>> table = {{"SCENARIO", "MEAN STEP", "VARIANCE (MS^2)", "A2C",
                                                  "HTS-RL", "SPEEDUP", "BY CLAIM 1", "SIMULATED"}};
  for (const auto& row : rows) {
    const double claimed = row.hts.claimed / row.a2c.claimed;
    table.push_back(
        {row.scenario, time_text(row.step.mean), fmt::format("{:.3g}", row.variance_ms2()),
         fmt::format("{:.0f}", row.a2c.measured), fmt::format("{:.0f}", row.hts.measured),
         fmt::format("{:.2f}", row.hts.measured / row.a2c.measured),
         std::isfinite(claimed) ? fmt::format("{:.2f}", claimed) : "-",
         fmt::format("{:.2f}", row.hts.simulated / row.a2c.simulated)});
  }
  return format_table(table, width);
}

}  // namespace tandem
