// Trainings in environments that sleep in place of computing, with a small network, so that their
// steps take most of the time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The settings of environments whose steps sleep for exponentially distributed times.
[[nodiscard]] std::vector<Setting> exponential_sleep(double mean_ms);

/// The settings of environments whose steps sleep for the recorded times of a file.
[[nodiscard]] std::vector<Setting> recorded_sleep(const std::string& file);

/// HTS-RL with an executor for each environment, on the task that the settings give. Throws Error
/// as load_config does.
[[nodiscard]] Config hts_config(std::int64_t envs, std::int64_t alpha, std::vector<Setting> task);

/// The measurements of such a training. Value type.
struct SleepingTraining {
  double steps_per_second = 0;
  double actor_seconds = 0;  // c in the paper: the time of an action for one step
};

/// Trains for about `seconds` and then briefly measures an action's costs. Throws Error as
/// measure_training does.
[[nodiscard]] SleepingTraining measure_sleeping(const Config& config, double seconds,
                                                const StopRequested& stop_requested);

}  // namespace tandem
