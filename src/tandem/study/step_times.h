// The time that an environment's steps take, and its spread.
#pragma once

#include <span>
#include <vector>

#include "tandem/study/hts/hts_theory.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Step times of an environment, in seconds. Value type.
struct StepTimes {
  StepTime step;    // includes frame stacking and resets
  double busy = 0;  // share of the time in which the thread computed instead of sleeping
  std::vector<double> each = {};  // seconds of each environment's first million steps
};

/// Times every step of an environment under random actions for about `seconds`, in `threads`
/// threads with an environment each. As many threads as cores share the machine's resources as in
/// training. Returns the means over the threads, and the times in `each`, environment by
/// environment. Throws Error when there is no such environment, and Interrupted when a stop is
/// requested.
[[nodiscard]] StepTimes measure_step_times(const EnvConfig& config, double seconds, int threads,
                                           const StopRequested& stop_requested);

/// Mean and deviation of these times, of which there is at least one. Pure.
[[nodiscard]] StepTime step_time_of(std::span<const double> times);

}  // namespace tandem
