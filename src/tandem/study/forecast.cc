#include "tandem/study/forecast.h"

#include <algorithm>
#include <cmath>

#include "tandem/base/streams.h"
#include "tandem/study/hts/hts_theory.h"

namespace tandem {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

/// The seconds per step that environments take when `threads` threads step them side by side.
double seconds_of_steps(const StepTime& step, double threads, double meeting_steps) {
  if (meeting_steps == 0 || step.deviation == 0) return step.mean / threads;
  constexpr int kRounds = 4000;
  Stream stream(1, streams::kSimulations.id(1));
  return simulated_seconds_per_state(
      {.envs = std::llround(threads),
       .alpha = std::max<std::int64_t>(1, std::llround(meeting_steps)),
       .step = step},
      kRounds, stream);
}

}  // namespace

double forecast_steps_per_second(const ThreadPattern& pattern, const StepTimes& env,
                                 const SystemCosts& system, int cores) {
  // Cores without a stepping thread learn meanwhile if the system can.
  if (pattern.learns_beside && pattern.stepping < cores) {
    const double of_cores =
        (system.processor_seconds + env.busy * env.step.mean) / as_double(cores);
    const double of_waiting = seconds_of_steps(env.step, pattern.stepping, pattern.meeting_steps);
    return 1 / std::max({of_cores, of_waiting, 1 / system.steps_per_second});
  }
  const double at_once = std::min(pattern.stepping, as_double(cores));
  const StepTime computed{env.busy * env.step.mean, env.busy * env.step.deviation};
  const double of_cores =
      1 / system.steps_per_second +
      seconds_of_steps(computed, at_once, pattern.meeting_steps * pattern.stepping / at_once);
  const double of_waiting = system.processor_seconds / pattern.computing +
                            seconds_of_steps(env.step, pattern.stepping, pattern.meeting_steps);
  return 1 / std::max(of_cores, of_waiting);
}

}  // namespace tandem
