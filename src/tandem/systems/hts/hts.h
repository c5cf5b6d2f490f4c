// HTS-RL: Liu, Yeh and Schwing, "High-throughput synchronous deep RL" (2020).
#pragma once

#include "tandem/systems/hts/hts_config.h"

namespace tandem {

struct TrainingContext;

/// Trains as in section 4.1, until the run's budget is used up or it is asked to stop. If
/// `deterministic` is set, the result on the CPU is the same, bit by bit, for any number of
/// executors, actors and learners, whatever their timing, and whether or not the run was stopped
/// and resumed.
void train_hts(const HtsConfig& config, TrainingContext& context);

}  // namespace tandem
