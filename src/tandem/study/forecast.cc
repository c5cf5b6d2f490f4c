#include "tandem/study/forecast.h"

#include <algorithm>
#include <cmath>

#include "tandem/study/hts/hts_theory.h"

namespace tandem {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

ThreadPattern paac_pattern(const PaacConfig& paac, int thread_budget) {
  const double groups = std::ceil(as_double(paac.envs) / as_double(paac.envs_per_group));
  const double workers = std::min(as_double(paac.workers), as_double(thread_budget));
  const double each = std::floor(workers / groups);
  if (each > 1) {  // several step the environments of a group, and meet at each step
    return {.stepping = groups * each,
            .meeting_steps = as_double(paac.envs) / (groups * each),
            .computing = groups};
  }
  const double stepping = std::min(workers, groups);
  return {.stepping = stepping,
          .meeting_steps = as_double(paac.envs * paac.t_max) / stepping,
          .computing = stepping};
}

ThreadPattern asynchronous(std::int64_t threads) {
  return {.stepping = as_double(threads), .meeting_steps = 0, .computing = as_double(threads)};
}

/// The environment's part of the time of a step, of `threads` threads side by side.
double seconds_of_steps(const StepTime& step, double threads, double meeting_steps) {
  if (meeting_steps == 0 || step.deviation == 0) return step.mean / threads;
  constexpr int kRounds = 4000;
  Stream stream(1, 1);
  return simulated_seconds_per_state(
      {.envs = std::llround(threads),
       .alpha = std::max<std::int64_t>(1, std::llround(meeting_steps)),
       .step = step},
      kRounds, stream);
}

}  // namespace

ThreadPattern thread_pattern(const Config& config) {
  if (config.system == "a3c") return asynchronous(config.a3c.learners);
  if (config.system == "ga3c") return asynchronous(config.ga3c.agents);
  if (config.system == "impala") return asynchronous(config.impala.actors);
  if (config.system == "hts") {
    const double stepping = as_double(std::min(config.hts.executors, config.hts.envs));
    return {.stepping = stepping,
            .meeting_steps = as_double(config.hts.envs * config.hts.alpha) / stepping,
            .computing = stepping};
  }
  return paac_pattern(config.paac, config.run.thread_budget());
}

double forecast_steps_per_second(const ThreadPattern& pattern, const StepTimes& env,
                                 const SystemCosts& system, int cores) {
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
