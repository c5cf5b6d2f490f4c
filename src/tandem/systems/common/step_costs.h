// What one step of training costs a single core, part by part: the limit that a system is held to.
#pragma once

#include <cstdint>
#include <functional>

#include "tandem/systems/common/training_context.h"

namespace tandem {

/// How a system batches its work, on which the costs depend. Value type.
struct Batching {
  int envs = 0;      // of one forward pass
  int steps = 0;     // of each environment between two updates
  int rollouts = 0;  // of envs * steps samples each, a gradient from each: those of one update

  std::int64_t replayed = 0;  // samples of an update that a replay gives instead; 0: rollouts
  bool alone = false;         // each sample goes forward by itself; learning from that pass then
                              // needs a network that makes Activations
  bool apart = false;         // others learn than those that act, by a forward pass of their own
  bool acts_on_last = false;  // the pass that looks at the last state chooses an action, too
};

/// Seconds of one core for one step. What several steps share is divided among them. Value type.
struct StepCosts {
  double env = 0;        // t_env: emulator and observation
  double inference = 0;  // t_inf: forward passes of acting and bootstrapping, sampling of actions
  double training = 0;   // t_train: loss, backward and update, on the pass that acted or on one
                         // of its own

  /// Seconds of one core for everything.
  [[nodiscard]] double total() const { return env + inference + training; }
};

/// Measures the parts for about `seconds` on `cores` cores at once, a thread each, as in training:
/// what cores share (the last cache, memory, the clock) is then shared as well. By turns, and
/// medians, so that a moment of another process's work does not count; the mean over the cores.
/// Leaves the learner as it is. Not thread-safe.
StepCosts measure_step_costs(const TrainingContext& context, const Batching& batching, int cores,
                             double seconds);

/// The mean of what is measured on so many cores at once, a thread each.
StepCosts mean_of_cores(int cores, const std::function<StepCosts(int core)>& measure);

}  // namespace tandem
