// Measures IMPALA's policy lag: the updates by which its actors' policy is behind the learner's.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The measured lag. Value type.
struct LearnerLag {
  double load = 0;   // share of time in which the learner has work
  double queue = 0;  // unrolls in the queue when the learner takes one
  double lag = 0;    // updates since the unroll began
};

/// Trains for about `seconds` with `actors` actors of one environment each, on the task that the
/// settings give. Each update learns from one unroll of `unroll` steps. Throws Error as
/// measure_training does.
[[nodiscard]] LearnerLag measure_learner_lag(std::int64_t actors, std::int64_t unroll,
                                             std::vector<Setting> task, double seconds,
                                             const StopRequested& stop_requested);

}  // namespace tandem
