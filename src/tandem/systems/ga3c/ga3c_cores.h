// Which cores GA3C's threads run on.
#pragma once

#include <span>
#include <vector>

#include "tandem/systems/ga3c/ga3c_config.h"

namespace tandem {

/// Where threads are more than cores, the kernel now and then leaves a core idle while a thread
/// that could run waits for another core; and what an agent has just seen is in the cache of the
/// core it ran on, where a predictor should find it. So trainers can have cores of their own. Value
/// type.
struct Ga3cCores {
  std::vector<int> trainers;  // empty: all threads run where the kernel puts them
  std::vector<int> others;    // of predictors, and of agents that do not roam

  /// Of those that the process may use, the first ones for trainers if `config` asks for it. None
  /// where none would be left for others, or where every thread can have a core.
  static Ga3cCores of(const Ga3cConfig& config, std::span<const int> usable);
};

}  // namespace tandem
