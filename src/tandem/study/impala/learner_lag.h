// How far the policy of IMPALA's actors is behind the one that learns.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Value type.
struct LearnerLag {
  double load = 0;   // the share of its time that the learner has work
  double queue = 0;  // unrolls that an unroll found waiting
  double lag = 0;    // updates since the unroll began
};

/// Trains for about `seconds` with so many actors of one environment each, by unrolls of `unroll`
/// steps and an update for each, on the task that the settings name. Throws Error as
/// measure_training does.
[[nodiscard]] LearnerLag measure_learner_lag(std::int64_t actors, std::int64_t unroll,
                                             std::vector<Setting> task, double seconds,
                                             const StopRequested& stop_requested);

}  // namespace tandem
