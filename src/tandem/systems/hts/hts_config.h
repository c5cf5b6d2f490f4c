// HTS-RL's hyperparameters.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of HTS-RL, without those of its loss and optimizer. Value type.
struct HtsConfig {
  std::int64_t envs = 32;              // n
  std::int64_t executors = 4;          // threads that step the environments
  std::int64_t actors = 0;             // threads that predict actions; 0: executors predict
  std::int64_t learners = 2;           // threads that compute gradients
  std::int64_t alpha = 5;              // steps of each environment between two synchronisations
  std::int64_t rollout = 0;            // steps of a rollout; 0: alpha
  std::int64_t updates = 1;            // updates between two synchronisations
  bool passes_from_newest = false;     // several passes begin at theta_j, not at theta_{j-1}
  std::int64_t envs_per_group = 16;    // environments that share one gradient computation
  std::int64_t max_predictions = 128;  // the most samples of one forward pass
  bool deterministic = true;           // no action depends on the other samples of its batch

  /// The most samples between two synchronisations for which actors keep activations. Learners then
  /// backpropagate through the actors' passes. With the network nips, activations take 150 kB a
  /// sample in each of the two storages.
  static constexpr std::int64_t kMostRecorded = 2048;

  /// Steps of a rollout.
  [[nodiscard]] std::int64_t rollout_steps() const { return rollout > 0 ? rollout : alpha; }

  FieldList fields();
};

}  // namespace tandem
