// HTS-RL: Liu, Yeh and Schwing, "High-throughput synchronous deep RL" (2020).
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

struct Parts;

/// The numbers of HTS-RL beyond those of its loss and optimizer. Value type.
struct HtsConfig {
  std::int64_t envs = 32;              // n
  std::int64_t executors = 16;         // threads that step them
  std::int64_t actors = 1;             // threads that predict actions
  std::int64_t learners = 1;           // threads that compute gradients
  std::int64_t alpha = 5;              // steps of each environment between two synchronisations
  std::int64_t envs_per_group = 16;    // gradients are made for groups of this many
  std::int64_t max_predictions = 128;  // of one forward pass
  bool deterministic = true;           // an action's bits do not depend on whose batch it was in

  FieldList fields();
};

/// Section 4.1, until the run's budget is used up or it is asked to stop. Where `deterministic`
/// holds, the result on the CPU is the same, bit by bit, for any number of executors, actors and
/// learners, whatever their timing, and whether or not the run was stopped and resumed.
void train_hts(const HtsConfig& config, Parts& parts);

}  // namespace tandem
