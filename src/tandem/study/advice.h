// The expected performance of each system with an environment on this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tandem/study/forecast.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The user's task: settings that every system shares. Value type.
struct AdviceTask {
  std::shared_ptr<const Catalogue> catalogue = published();
  std::vector<Setting> settings;  // env.*, net.*, ...
  double seconds = 1;             // of each measurement; three times as long for a check
  bool check = false;             // whether to measure real trainings, too
  /// The candidates that the user names: a system and its settings, "hts hts.envs=4". Empty: those
  /// that the systems name.
  std::vector<std::string> named = {};
};

/// Measurements of the environment alone. Value type.
struct EnvMeasures {
  EnvConfig config;
  StepTimes times = {};  // in as many threads as cores, or in more if asleep()
  double bytes = 0;      // memory of one environment

  /// Whether a step spends most of its time asleep or in another process.
  [[nodiscard]] bool asleep() const { return times.busy < 0.5; }
};

/// A system with settings that may suit the task. Value type.
struct Candidate {
  std::vector<std::string> words;  // to follow `tandem train`, as KEY=VALUE
  Config config;
};

/// A forecast for a candidate. Value type.
struct Prospect {
  Candidate candidate;
  SystemCosts costs = {};  // measured in environments that take no time
  double steps_per_second = 0;
  double lag = 0;       // approximate policy lag, in updates
  double bytes = 0;     // expected peak memory of the whole process
  double measured = 0;  // steps per second of a real training; 0: not measured

  /// The relative error of the forecast rate.
  [[nodiscard]] double error() const { return steps_per_second / measured - 1; }

  /// The command `tandem train ...`.
  [[nodiscard]] std::string command(const AdviceTask& task) const;
};

/// Measures the environment as the first candidate has it. Throws Error when a stop is requested.
[[nodiscard]] EnvMeasures measure_env(const AdviceTask& task, const StopRequested& stop_requested);

/// Settings worth a look: each system's variants(), or its sleeping_variants() if env.asleep().
/// Leaves out settings that a system refuses; if all are refused, throws the first Error.
[[nodiscard]] std::vector<Candidate> candidates(const AdviceTask& task, const EnvMeasures& env);

/// Trains the candidate in environments that take no time, and computes the forecast from its costs
/// and those of the environment. Measures the environment anew if the candidate has other options
/// of it than `env`.
[[nodiscard]] Prospect forecast(const AdviceTask& task, const EnvMeasures& env,
                                const Candidate& candidate, const StopRequested& stop_requested);

/// The prospect to begin with: among those nearly as fast as the fastest, the one with the least
/// policy lag, since experience of an old policy teaches less. `forecasts` must not be empty. Pure.
[[nodiscard]] const Prospect& recommended(const std::vector<Prospect>& forecasts);

}  // namespace tandem
