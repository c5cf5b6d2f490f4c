// GA3C's log entries.
#pragma once

#include "tandem/acting/batched_inference.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/ga3c/ga3c_adjustment.h"

namespace tandem {

/// Reports an update to `run`. `learned` is the result of the trainer's update(); `predicted` has
/// the sums over the predictors' work since the last report. Safe to call from several trainers at
/// once.
void record_ga3c(UpdateReport learned, const ExperienceTrainer& trainer,
                 const PredictionStats& predicted, const Ga3cThreads& threads, TrainingRun& run);

}  // namespace tandem
