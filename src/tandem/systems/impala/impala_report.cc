#include "tandem/systems/impala/impala_report.h"

#include <array>

namespace tandem {

void record_impala(UpdateReport learned, const ExperienceTrainer& learner, TrainingRun& run) {
  const TimeShares learning = learned.seconds;
  const TimeShares playing = learner.playing();
  learned.seconds += playing;
  const auto experiences = static_cast<double>(learner.batch().size());
  const std::array measures = {
      Measure{"impala/training_batch", static_cast<double>(learned.steps), 1},
      Measure{"impala/training_queue", learner.waiting(), experiences},
      Measure{"impala/policy_lag_updates", static_cast<double>(learner.lag()), experiences},
      Measure{"impala/actors_waiting", playing.waiting, playing.total()},
      Measure{"impala/learner_waiting", learning.waiting, learning.total()},
  };
  learned.measures = measures;
  run.record(learned);
}

}  // namespace tandem
