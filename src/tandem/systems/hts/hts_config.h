// HTS-RL's numbers.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

/// The numbers of HTS-RL beyond those of its loss and optimizer. Value type.
struct HtsConfig {
  std::int64_t envs = 32;              // n
  std::int64_t executors = 4;          // threads that step them
  std::int64_t actors = 0;             // threads that predict actions; 0: executors do
  std::int64_t learners = 2;           // threads that compute gradients
  std::int64_t alpha = 5;              // steps of each environment between two synchronisations
  std::int64_t envs_per_group = 16;    // gradients are made for groups of this many
  std::int64_t max_predictions = 128;  // of one forward pass
  bool deterministic = true;           // an action's bits do not depend on whose batch it was in

  /// Learners go backward on the passes that acted, if samples go forward alone, of updates of up
  /// to so many samples: their activations stay until then, 150 kB a sample of nips, twice.
  static constexpr std::int64_t kMostRecorded = 2048;

  FieldList fields();
};

}  // namespace tandem
