#include "tandem/cluster/learner_rest.h"

#include "tandem/run/checkpoint.h"

namespace tandem {

void LearnerRest::save_first(Checkpointed& system) const {
  if (context_.resume != nullptr && !context_.run.done()) return;
  Checkpoint checkpoint;
  system.collect(checkpoint);
  context_.run.save(checkpoint);
}

void LearnerRest::begin() {
  has_states_ = false;
  if (context_.run.write_due()) gather();
  rests_ = std::unique_lock(updating_);
  // The update of that moment may have ended the run.
  if (!has_states_ && context_.run.write_due()) gather();
}

void LearnerRest::end() { rests_.unlock(); }

void LearnerRest::gather() {
  roll_.gather_states(crew_.stop_token());
  has_states_ = true;
}

}  // namespace tandem
