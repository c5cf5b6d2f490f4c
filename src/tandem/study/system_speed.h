// How fast a system trains, held against the limit that its parts set.
#pragma once

#include <nlohmann/json.hpp>

#include "tandem/base/clock.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/systems/common/step_costs.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Value type.
struct SystemSpeed {
  int threads = 0;  // the budget that training had
  Batching batching;
  double steps_per_second = 0;  // of whole training
  TimeShares shares;            // of the threads' time in whole training: PAAC's Figure 2; sum 1
  nlohmann::ordered_json own;   // an object: what only this system measures, by its log keys
  StepCosts costs;              // of one core
  double limit = 0;             // steps per second

  /// How much of the limit is reached. On a CPU the limit is cores / costs.total(), the rate when
  /// no core ever waits; with the network on another device it is cores / costs.env.
  [[nodiscard]] double fraction() const { return steps_per_second / limit; }
};

/// Measures whole training and the parts by turns for about `seconds` (the making of environments
/// comes on top), and takes medians. Trains in a temporary folder, which is gone afterwards. Throws
/// Error when the config cannot be trained with, or `stop_requested` says so.
[[nodiscard]] SystemSpeed measure_system(const Config& config, double seconds,
                                         const StopRequested& stop_requested);

}  // namespace tandem
