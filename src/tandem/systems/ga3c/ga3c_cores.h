// Assigns GA3C's threads to cores.
#pragma once

#include <span>
#include <vector>

#include "tandem/systems/ga3c/ga3c_config.h"

namespace tandem {

/// With more threads than cores, the kernel sometimes leaves a core idle while a thread waits for
/// another core. Also, an agent's newest observation is in the cache of the core that it ran on,
/// and a predictor should find it there. Trainers can therefore have cores of their own. Value
/// type.
struct Ga3cCores {
  std::vector<int> trainers;  // empty: all threads may run on any core
  std::vector<int> others;    // for predictors, and for agents that do not roam

  /// Divides the usable cores: the first ones go to trainers if `config` asks for it. Both lists
  /// are empty if no core would be left for others, or if every thread can have a core.
  static Ga3cCores of(const Ga3cConfig& config, std::span<const int> usable);
};

}  // namespace tandem
