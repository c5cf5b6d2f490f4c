#include "tandem/systems/ga3c/ga3c_report.h"

#include <array>

namespace tandem {

void record_ga3c(UpdateReport learned, const ExperienceTrainer& trainer,
                 const PredictionStats& predicted, const Ga3cThreads& threads, TrainingRun& run) {
  const TimeShares learning = learned.seconds;
  const TimeShares playing = trainer.playing();
  const TimeShares predicting = {.inferring = predicted.computing_seconds,
                                 .waiting = predicted.idle_seconds};
  learned.seconds += playing;
  learned.seconds += predicting;
  const auto predictions = static_cast<double>(predicted.predictions);
  const auto batches = static_cast<double>(predicted.batches);
  const auto experiences = static_cast<double>(trainer.batch().size());
  const std::array measures = {
      Measure{"ga3c/predictions_per_second", predictions},
      Measure{"ga3c/prediction_batch", predictions, batches},
      Measure{"ga3c/prediction_queue", static_cast<double>(predicted.waiting), batches},
      Measure{"ga3c/training_batch", static_cast<double>(learned.steps), 1},
      Measure{"ga3c/training_queue", trainer.waiting(), experiences},
      Measure{"ga3c/policy_lag_updates", static_cast<double>(trainer.lag()), experiences},
      Measure{"ga3c/agents_waiting", playing.waiting, playing.total()},
      Measure{"ga3c/predictors_waiting", predicting.waiting, predicting.total()},
      Measure{"ga3c/trainers_waiting", learning.waiting, learning.total()},
      Measure{"ga3c/agents", static_cast<double>(threads.agents), 1},
      Measure{"ga3c/predictors", static_cast<double>(threads.predictors), 1},
      Measure{"ga3c/trainers", static_cast<double>(threads.trainers), 1},
  };
  const Spread latency{"ga3c/prediction_seconds", &predicted.latency_seconds};
  learned.measures = measures;
  learned.spreads = {&latency, 1};
  run.record(learned);
}

}  // namespace tandem
