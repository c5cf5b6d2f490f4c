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
  double steps_per_second = 0;  // of the whole training
  TimeShares shares;            // of the threads' time, as in PAAC's Figure 2; they sum to 1
  nlohmann::ordered_json own;   // an object: measurements of this system alone, by their log keys
  StepCosts costs;              // on one core
  double limit = 0;             // in steps per second
  double peak = 0;              // operations per second of one core; see core_peak.h

  /// The reached share of the limit. On a CPU the limit is cores / costs.total(), the rate at which
  /// no core ever waits; with the network on another device it is cores / costs.env.
  [[nodiscard]] double fraction() const { return steps_per_second / limit; }

  /// The share of a core's peak that its networks reach while it acts and learns, with all that
  /// belongs to that: activations, the loss, the optimizer, the replay. Means nothing where another
  /// device computes the networks.
  [[nodiscard]] double share_of_peak() const {
    return costs.operations / (costs.inference + costs.training) / peak;
  }
};

/// Measures the whole training and its parts in turns for about `seconds`, and takes medians. The
/// time to make environments does not count. Trains in a temporary folder, and deletes it.
/// Throws Error when the config cannot be trained with, or when `stop_requested` returns true.
[[nodiscard]] SystemSpeed measure_system(const Config& config, double seconds,
                                         const StopRequested& stop_requested);

}  // namespace tandem
