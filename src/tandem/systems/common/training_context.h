// What a system trains with.
#pragma once

#include "tandem/algo/algorithm.h"
#include "tandem/learn/learner.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/common/actor_context.h"

namespace tandem {

/// One training run as its system gets it: what its actors need, and besides what only the learner
/// and the run need. Views of objects that outlive the system.
struct TrainingContext {
  ActorContext actor;
  const Algorithm& algorithm;
  Learner& learner;
  TrainingRun& run;
  int threads = 1;                     // the thread budget of the process
  const Checkpoint* resume = nullptr;  // where to go on from; null: a new run
};

}  // namespace tandem
