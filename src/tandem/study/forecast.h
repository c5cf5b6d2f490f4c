// Forecasts a system's speed on an environment from the costs of each.
#pragma once

#include <cstdint>

#include "tandem/study/step_times.h"
#include "tandem/systems/system.h"

namespace tandem {

/// The speed of a system in environments that cost nothing. Value type.
struct SystemCosts {
  double steps_per_second = 0;
  double processor_seconds = 0;  // processor seconds of a step, summed over all threads
};

/// Steps per second with environments of these step times on `cores` cores: the lesser of two
/// limits. The cores' limit: all cores share a step's whole work, the environment's included, and
/// idle while one that has met its steps waits for another. The threads' limit: each stepping
/// thread spends its environment's time, asleep or not, and then the network's. Step times are
/// taken to be gamma distributed, as in Claim 1 of HTS-RL's paper. Pure.
[[nodiscard]] double forecast_steps_per_second(const ThreadPattern& pattern, const StepTimes& env,
                                               const SystemCosts& system, int cores);

}  // namespace tandem
