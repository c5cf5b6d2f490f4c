// How fast a system would train on an environment, from what either costs alone.
#pragma once

#include <cstdint>

#include "tandem/study/step_times.h"
#include "tandem/systems/system.h"

namespace tandem {

/// A system in environments that cost nothing. Value type.
struct SystemCosts {
  double steps_per_second = 0;
  double processor_seconds = 0;  // of a step, of all threads
};

/// Steps per second with environments of these step times on `cores` cores: the lesser of two
/// limits. Cores: a step's work of all threads, the environment's among it, on all of them, less
/// what they idle while one that has met its steps waits for another. Waiting: each stepping thread
/// goes through its environment's time, asleep or not, and the network's, one after the other. Step
/// times are taken for gamma distributed, as in Claim 1 of HTS-RL's paper. Pure.
[[nodiscard]] double forecast_steps_per_second(const ThreadPattern& pattern, const StepTimes& env,
                                               const SystemCosts& system, int cores);

}  // namespace tandem
