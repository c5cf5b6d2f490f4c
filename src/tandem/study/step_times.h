// The time that an environment's steps take, and its spread.
#pragma once

#include "tandem/study/hts/hts_theory.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Step times of an environment. Value type.
struct StepTimes {
  StepTime step;    // includes frame stacking and resets
  double busy = 0;  // share of the time in which the thread computed instead of sleeping
};

/// Times every step of an environment under random actions for about `seconds`, in `threads`
/// threads with an environment each. As many threads as cores share the machine's resources as in
/// training. Returns the means over the threads. Throws Error when there is no such environment.
[[nodiscard]] StepTimes measure_step_times(const EnvConfig& config, double seconds,
                                           int threads = 1);

}  // namespace tandem
