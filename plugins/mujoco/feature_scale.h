// Features of one size.
#pragma once

#include <memory>
#include <vector>

#include "simulation.h"

namespace tandem::mujoco {

/// Shifts and scales each feature of a task to the mean 0 and the deviation 1 that random play
/// would have: an agent learns little from a feature that is a tenth as large as its neighbours.
/// The same numbers in every process, so that they are in no checkpoint. Immutable, and so safe
/// from many threads.
class FeatureScale {
 public:
  /// Plays `frames` steps of the suite with random controls, each held for five.
  FeatureScale(Simulation simulation, int frames);

  /// Of feature i, within +-10.
  [[nodiscard]] double operator()(std::size_t i, double value) const;

 private:
  std::vector<double> mean_;
  std::vector<double> factor_;  // 1 / deviation; 1 of a feature that does not move
};

}  // namespace tandem::mujoco
