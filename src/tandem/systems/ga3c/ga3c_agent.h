// GA3C's agents.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tandem/acting/batched_inference.h"
#include "tandem/acting/collector.h"
#include "tandem/acting/target_network.h"
#include "tandem/run/checkpoint.h"
#include "tandem/systems/common/actor_context.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/ga3c/ga3c_config.h"

namespace tandem {

/// Section 4.1: plays in its own environments by the answers of predictors. It has no copy of the
/// model. With a value method, which the paper does not have, it has a copy of the target network
/// and values the states of its targets itself. Not thread-safe; one for each thread.
class Ga3cAgent {
 public:
  /// The rule of `context`, `inference` and `target` must outlive it.
  Ga3cAgent(const Ga3cConfig& config, const ActorContext& context, BatchedInference& inference,
            const TargetParameters& target, int rank);

  /// Starts the environments, or restores a saved state. Call it once before play().
  void start(const Checkpoint* resume);

  /// Makes the next action come from the newest parameters. Call it after a rest.
  void look_again();

  /// Submits up to t_max steps to `queue`. With one environment, an episode's end ends the rollout;
  /// the last step and its reward belong to it (the published code leaves them out). Writes into
  /// `used`, if it is not null. Waits while the queue is full.
  void play(TrainingQueue& queue, std::unique_ptr<Experience> used, std::int64_t steps);

  /// Call it between two calls of play().
  void save(Checkpoint& checkpoint);

  /// The name of this agent's state in a checkpoint.
  [[nodiscard]] static std::string state_name(int rank);

 private:
  const int rank_;
  PolicyClient client_;
  TargetNetwork target_;
  Collector collector_;
  // Whether the pass that values the last state also chooses the next action. With a target network
  // another one valued that state, and without bootstrapping none did.
  const bool chooses_ahead_;
  bool looks_again_ = true;    // whether the next action was not chosen in advance
  double waited_seconds_ = 0;  // seconds that the last push waited for room in the queue
};

}  // namespace tandem
