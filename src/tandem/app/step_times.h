// How long an environment takes for its steps, and how evenly.
#pragma once

#include "tandem/app/config.h"
#include "tandem/systems/hts_theory.h"

namespace tandem {

/// Value type.
struct StepTimes {
  StepTime step;    // frame stacking and resets included
  double busy = 0;  // share of the time that it computed, and did not sleep
};

/// Steps one environment with random actions for about `seconds`, each step on its own. Throws
/// Error when there is no such environment.
[[nodiscard]] StepTimes measure_step_times(const EnvConfig& config, double seconds);

}  // namespace tandem
