// Measures the speed of a short training, and the scalars that it logs.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "tandem/sync/stop_requested.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The results of a short training. Value type.
struct TrainingRate {
  double steps_per_second = 0;   // after its warm-up
  double busy_cores = 0;         // processor seconds of this process per second, after the warm-up
  nlohmann::ordered_json means;  // the scalars of a metrics.jsonl line over the whole training
};

/// A function that receives the trained parts and their rate.
using AfterTraining = std::function<void(const TrainingContext& context, const TrainingRate& rate)>;

/// Trains for about `seconds`, whatever the config's budget, in a temporary folder that it deletes
/// afterwards. The time to make environments does not count. Then calls `afterwards` with the
/// trained parts. If `instead` is given, its environments replace the config's; they must have the
/// same spec. Throws Error when the config cannot be trained, or when `stop_requested` returns
/// true.
[[nodiscard]] TrainingRate measure_training(const Config& config, double seconds,
                                            const StopRequested& stop_requested,
                                            const AfterTraining& afterwards = {},
                                            const EnvFactory& instead = {});

}  // namespace tandem
