// Measures how fast a system trains, and compares it with the limit that its parts set.
#pragma once

#include <nlohmann/json.hpp>

#include "tandem/base/clock.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/systems/common/step_costs.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The speed of a system. Value type.
struct SystemSpeed {
  int threads = 0;  // the training's thread budget
  Batching batching;
  double steps_per_second = 0;  // in whole training
  TimeShares shares;            // of the threads' time in whole training: PAAC's Figure 2; sum 1
  nlohmann::ordered_json own;   // an object: measurements of this system alone, by their log keys
  StepCosts costs;              // on one core
  double limit = 0;             // steps per second

  /// The share of the limit that is reached. On a CPU the limit is cores / costs.total(), the rate
  /// when no core ever waits; with the network on another device it is cores / costs.env.
  [[nodiscard]] double fraction() const { return steps_per_second / limit; }
};

/// Measures whole training and its parts in turns for about `seconds`, without the time to make
/// environments, and takes medians. Trains in a temporary folder, which it deletes afterwards.
/// Throws Error when the config cannot be trained with, or when `stop_requested` returns true.
[[nodiscard]] SystemSpeed measure_system(const Config& config, double seconds,
                                         const StopRequested& stop_requested);

}  // namespace tandem
