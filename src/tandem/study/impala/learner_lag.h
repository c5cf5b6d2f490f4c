// Measures IMPALA's policy lag: how far its actors' policy is behind the learner's.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The measured lag. Value type.
struct LearnerLag {
  double load = 0;   // share of time in which the learner has work
  double queue = 0;  // unrolls that an unroll found waiting
  double lag = 0;    // updates since the unroll began
};

/// Trains for about `seconds` with so many actors of one environment each, on the task that the
/// settings name. Each update learns from one unroll of `unroll` steps. Throws Error as
/// measure_training does.
[[nodiscard]] LearnerLag measure_learner_lag(std::int64_t actors, std::int64_t unroll,
                                             std::vector<Setting> task, double seconds,
                                             const StopRequested& stop_requested);

}  // namespace tandem
