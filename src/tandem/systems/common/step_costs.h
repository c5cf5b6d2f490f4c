// The costs of one step of training on a single core, part by part. They determine the limit to
// which a system's speed is compared.
#pragma once

#include <cstdint>
#include <functional>

#include "tandem/systems/common/training_context.h"

namespace tandem {

/// How a system batches its work, which determines the costs. Value type.
struct Batching {
  int envs = 0;      // in one forward pass
  int steps = 0;     // of each environment between two updates
  int rollouts = 0;  // of envs * steps samples in an update; each gives one gradient

  std::int64_t replayed = 0;  // samples of an update that come from a replay; 0: they come from
                              // rollouts
  bool alone = false;         // each sample has a forward pass of its own
  bool at_places = false;  // learning reuses the passes of acting if the network makes Activations
  bool apart = false;      // learners make a forward pass of their own
  bool acts_on_last = false;  // the pass that evaluates the last state also chooses an action
};

/// Seconds of one core for one step. Shared work is divided among the steps that share it. Value
/// type.
struct StepCosts {
  double env = 0;         // t_env: emulator and observation
  double inference = 0;   // t_inf: forward passes of acting and bootstrapping, sampling of actions
  double training = 0;    // t_train: loss, backward pass and update, with a forward pass where
                          // learning makes its own
  double operations = 0;  // of networks, in inference and training; see nn/arithmetic.h

  /// Seconds of one core for everything.
  [[nodiscard]] double total() const { return env + inference + training; }
};

/// Measures the parts for about `seconds` on `cores` cores at once, a thread each, as in training.
/// The costs therefore include competition for shared resources: the last-level cache, memory, the
/// clock rate. Measures in turns and takes medians, so that a short disturbance by another process
/// does not count; returns the mean over the cores. Leaves the learner as it is. Not thread-safe.
StepCosts measure_step_costs(const TrainingContext& context, const Batching& batching, int cores,
                             double seconds);

/// Calls `measure` for `cores` cores at once, a thread each, and returns the mean.
StepCosts mean_of_cores(int cores, const std::function<StepCosts(int core)>& measure);

}  // namespace tandem
