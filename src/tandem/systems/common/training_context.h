// The parts with which a system trains.
#pragma once

#include "tandem/algo/algorithm.h"
#include "tandem/learn/learner.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/common/actor_context.h"

namespace tandem {

/// One training run as its system receives it: the parts that actors need, and the parts that only
/// the learner and the run need. It refers to objects that outlive the system.
struct TrainingContext {
  ActorContext actor;                  // for each actor
  const Algorithm& algorithm;          // how to act and what to learn
  Learner& learner;                    // the parameters
  TrainingRun& run;                    // receives reports, and tells whether to go on
  int threads = 1;                     // the thread budget of the process
  const Checkpoint* resume = nullptr;  // the checkpoint to resume from; null: a new run
};

}  // namespace tandem
