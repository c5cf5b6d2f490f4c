// Forecasts a system's speed on an environment from the costs of each.
#pragma once

#include <cstdint>

#include "tandem/study/step_times.h"
#include "tandem/systems/system.h"

namespace tandem {

/// The speed of a system in environments that take no time. Value type.
struct SystemCosts {
  double steps_per_second = 0;
  double processor_seconds = 0;  // processor seconds of a step, summed over all threads
};

/// Steps per second with environments of these step times on `cores` cores: the lesser of two
/// limits. Under the cores' limit, the cores share all work of a step, including the environment's.
/// A core idles when its thread waits for others at a barrier, or when there are fewer stepping
/// threads than cores, unless it learns meanwhile. Under the threads' limit, each stepping thread
/// spends the time of its environment, asleep or not, and then that of the network. Step times are
/// assumed to be gamma distributed, as in Claim 1 of HTS-RL's paper. Pure.
[[nodiscard]] double forecast_steps_per_second(const ThreadPattern& pattern, const StepTimes& env,
                                               const SystemCosts& system, int cores);

}  // namespace tandem
