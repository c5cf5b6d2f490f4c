// The log entries of IMPALA.
#pragma once

#include "tandem/run/training_run.h"
#include "tandem/systems/common/experience_trainer.h"

namespace tandem {

/// Reports an update to `run`; `learned` is the result of the learner's update().
void record_impala(UpdateReport learned, const ExperienceTrainer& learner, TrainingRun& run);

}  // namespace tandem
