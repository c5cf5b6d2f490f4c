// How long an environment takes for its steps, and how evenly.
#pragma once

#include "tandem/study/hts/hts_theory.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Value type.
struct StepTimes {
  StepTime step;    // frame stacking and resets included
  double busy = 0;  // share of the time that it computed, and did not sleep
};

/// Steps an environment in each of `threads` threads with random actions for about `seconds`, each
/// step on its own: as many as there are cores, and what these share is shared as in training. The
/// means over the threads. Throws Error when there is no such environment.
[[nodiscard]] StepTimes measure_step_times(const EnvConfig& config, double seconds,
                                           int threads = 1);

}  // namespace tandem
