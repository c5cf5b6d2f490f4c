// How fast a short training goes, and what it says of itself.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "tandem/sync/stop_requested.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Value type.
struct TrainingRate {
  double steps_per_second = 0;   // since the end of its warm-up
  double busy_cores = 0;         // processor seconds a second, of this process, the same
  nlohmann::ordered_json means;  // the scalars of a log line over all of it, as metrics.jsonl's
};

/// What is done with the parts that trained.
using AfterTraining = std::function<void(const TrainingContext& context, const TrainingRate& rate)>;

/// Trains for about `seconds` (the making of environments comes on top), whatever budget the config
/// has, in a temporary folder that is gone afterwards; then calls `afterwards` with the parts that
/// trained. Trains in the environments of `instead`, where there are any, which must have the spec
/// of the config's. Throws Error when the config cannot be trained with, or `stop_requested`
/// says so.
[[nodiscard]] TrainingRate measure_training(const Config& config, double seconds,
                                            const StopRequested& stop_requested,
                                            const AfterTraining& afterwards = {},
                                            const EnvFactory& instead = {});

}  // namespace tandem
