// What each system would do with an environment on this machine.
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
  double seconds = 1;             // of each measurement
  bool check = false;             // whether to train for real, too
};

/// The environment by itself. Value type.
struct EnvMeasures {
  EnvConfig config;
  StepTimes times = {};  // while all cores step
  double bytes = 0;      // of one

  /// Whether most of a step is spent asleep, or in another process.
  [[nodiscard]] bool asleep() const { return times.busy < 0.5; }
};

/// A system with settings that may suit. Value type.
struct Candidate {
  std::vector<std::string> words;  // behind `tandem train`, as KEY=VALUE
  Config config;
};

/// What is foreseen. Value type.
struct Prospect {
  Candidate candidate;
  SystemCosts costs = {};  // in environments that cost nothing
  double steps_per_second = 0;
  double lag = 0;       // updates that the policy that acts is behind, about
  double bytes = 0;     // of the whole process, at its most
  double measured = 0;  // steps per second for real; 0: not asked for

  /// Of the rate, relative to what was measured.
  [[nodiscard]] double error() const { return steps_per_second / measured - 1; }

  /// `tandem train ...`.
  [[nodiscard]] std::string command(const AdviceTask& task) const;
};

[[nodiscard]] EnvMeasures measure_env(const AdviceTask& task);

/// The settings of all systems that are worth a look: their presets, and where steps are spent
/// asleep (or in another process) more threads than cores. Systems that refuse the settings are
/// left out. Throws Error, the first one's, where all do.
[[nodiscard]] std::vector<Candidate> candidates(const AdviceTask& task, const EnvMeasures& env);

/// Trains it in environments that cost nothing, and foresees the rest.
[[nodiscard]] Prospect forecast(const AdviceTask& task, const EnvMeasures& env,
                                const Candidate& candidate, const StopRequested& stop_requested);

/// The one to begin with: of those nearly as fast as the fastest the one whose policy lags least,
/// since what an old policy did teaches less. There must be one. Pure.
[[nodiscard]] const Prospect& recommended(const std::vector<Prospect>& forecasts);

}  // namespace tandem
