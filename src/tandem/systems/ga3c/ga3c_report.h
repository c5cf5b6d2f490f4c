// What GA3C logs.
#pragma once

#include "tandem/acting/batched_inference.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/ga3c/ga3c_adjustment.h"

namespace tandem {

/// Counts an update in `run`. `learned` is what the trainer's update() returned, `predicted` what
/// predictors did since the last report, `threads` how many there are. Safe to call from several
/// trainers at once.
void record_ga3c(UpdateReport learned, const ExperienceTrainer& trainer,
                 const PredictionStats& predicted, const Ga3cThreads& threads, TrainingRun& run);

}  // namespace tandem
