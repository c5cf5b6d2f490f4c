// The time of an environment's steps, and its spread.
#pragma once

#include "tandem/study/hts/hts_theory.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Step times of an environment. Value type.
struct StepTimes {
  StepTime step;    // includes frame stacking and resets
  double busy = 0;  // share of the time in which it computed instead of sleeping
};

/// Steps an environment in each of `threads` threads with random actions for about `seconds`, and
/// times every step. With as many threads as cores, they share the machine's resources as in
/// training. Returns the means over the threads. Throws Error when there is no such environment.
[[nodiscard]] StepTimes measure_step_times(const EnvConfig& config, double seconds,
                                           int threads = 1);

}  // namespace tandem
