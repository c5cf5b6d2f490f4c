// GA3C's agents.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tandem/acting/batched_inference.h"
#include "tandem/acting/collector.h"
#include "tandem/run/checkpoint.h"
#include "tandem/systems/common/actor_context.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/ga3c/ga3c_config.h"

namespace tandem {

/// Section 4.1: plays in environments of its own by what predictors tell it. Has no copy of the
/// model. Not thread-safe; one for each thread.
class Ga3cAgent {
 public:
  /// The rule of `context` and `inference` must outlive it.
  Ga3cAgent(const Ga3cConfig& config, const ActorContext& context, BatchedInference& inference,
            int rank);

  /// Begins, or goes on from a saved state. Call it once before play().
  void start(const Checkpoint* resume);

  /// Plays on after a rest: the next action comes from the parameters of now.
  void look_again();

  /// Submits up to t_max steps to `queue`; of one environment less at the end of an episode, whose
  /// last step and its reward belong to them (the published code leaves them out). Writes into
  /// `used`, if it is not null. Waits while the queue is full.
  void play(TrainingQueue& queue, std::unique_ptr<Experience> used, std::int64_t steps);

  /// Between two calls of play().
  void save(Checkpoint& checkpoint);

  /// Of the state of the agent of this rank in a checkpoint.
  [[nodiscard]] static std::string state_name(int rank);

 private:
  const int rank_;
  PolicyClient client_;
  Collector collector_;
  bool looks_again_ = true;    // no action is chosen ahead
  double waited_seconds_ = 0;  // for the queue, the last time
};

}  // namespace tandem
