// The checkpoints of a cluster's learner.
#pragma once

#include <mutex>

#include "tandem/cluster/actor_roll.h"
#include "tandem/run/checkpoint_loop.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/fair_mutex.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// The rest of a learner while its state is copied, and the decision whether the checkpoint has its
/// actors' states. One thread uses it.
class LearnerRest {
 public:
  /// All must outlive it. `updating` is held during each update.
  LearnerRest(TrainingContext& context, ActorRoll& roll, const Crew& crew, FairMutex& updating)
      : context_(context), roll_(roll), crew_(crew), updating_(updating) {}

  /// Gives a learner that is lost before its first checkpoint something to go on from. A resumed
  /// run has it; if it is done already, this writes nothing, but the evaluator gets the parameters
  /// of a last evaluation that was cut short.
  void save_first(Checkpointed& system) const;

  /// Waits for the end of an update, and lets no other begin. Gathers the actors' states if a
  /// checkpoint will be written: an evaluation alone needs none, and the wait for them would count
  /// as its price.
  void begin();
  /// Lets updates go on.
  void end();

  /// Gathers the actors' states for the last checkpoint.
  void gather();

  /// Whether the states have been gathered for the present checkpoint.
  [[nodiscard]] bool has_states() const { return has_states_; }

 private:
  TrainingContext& context_;
  ActorRoll& roll_;
  const Crew& crew_;
  FairMutex& updating_;
  std::unique_lock<FairMutex> rests_;
  bool has_states_ = false;
};

}  // namespace tandem
