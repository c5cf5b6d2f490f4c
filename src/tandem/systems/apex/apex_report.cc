#include "tandem/systems/apex/apex_report.h"

#include <numeric>

namespace tandem {

ApexReport::ApexReport(std::span<const float> epsilons, std::int64_t inserted, TrainingRun& run)
    : run_(run), returns_(epsilons), inserted_(inserted) {}

void ApexReport::record_played(ActorPlayed played, double waited_seconds) {
  UpdateReport report{
      .steps = played.steps, .episodes = played.episodes, .seconds = played.seconds, .updates = 0};
  report.seconds.waiting += waited_seconds;
  returns_.add(played.episodes);
  run_.record(report);
}

void ApexReport::record_update(UpdateReport learned, const SampleBatch& batch,
                               const TableState& state, std::span<const float> priorities,
                               std::size_t ahead) {
  const auto samples = static_cast<double>(batch.size);
  const double ages = std::accumulate(batch.ages.begin(), batch.ages.end(), 0.0);
  auto measures = returns_.take();
  measures.insert(measures.end(),
                  {{"replay/transitions", static_cast<double>(state.transitions), 1},
                   {"replay/bytes_per_transition", state.bytes_per_transition(), 1},
                   {"replay/samples_per_insert",
                    static_cast<double>(state.sampled) / static_cast<double>(state.inserted), 1},
                   {"replay/inserts_per_second", static_cast<double>(state.inserted - inserted_)},
                   {"replay/samples_per_second", samples},
                   {"replay/age_transitions", ages, samples},
                   {"apex/batches_drawn_ahead", static_cast<double>(ahead), 1},
                   {"apex/learner_waiting", learned.seconds.waiting, learned.seconds.total()}});
  inserted_ = state.inserted;
  if (const double rested = rested_seconds_.exchange(0); rested > 0) {
    measures.push_back({"apex/checkpoint_rest_seconds", rested, 1});
  }
  Histogram histogram;
  for (const float priority : priorities) histogram.add(priority);
  const Spread spread{"replay/priority", &histogram};
  learned.measures = measures;
  learned.spreads = {&spread, 1};
  run_.record(learned);
}

}  // namespace tandem
