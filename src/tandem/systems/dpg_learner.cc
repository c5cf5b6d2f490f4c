#include "tandem/systems/dpg_learner.h"

#include <optional>
#include <span>

namespace tandem {
namespace {

constexpr auto kPart = "dpg";  // of the checkpoint's meta

std::int64_t updates_before(const Parts& parts) {
  return parts.resume == nullptr ? 0 : parts.resume->part(kPart).at("updates").get<std::int64_t>();
}

}  // namespace

DpgLearner::DpgLearner(const DpgConfig& config, const Parts& parts, SharedModel& model)
    : model_(model),
      updates_(updates_before(parts)),
      target_parameters_(parts.learner.parameters(), config.target_updates, updates_),
      target_(target_parameters_.size()),
      gradient_of_(config, parts.learner.architecture(), parts.learner.parameters(), target_),
      gradient_(model.size()) {
  if (parts.resume != nullptr) load_target(*parts.resume, target_parameters_);
}

UpdateReport DpgLearner::update(SampleBatch& batch, std::int64_t steps) {
  const Stopwatch watch;
  target_parameters_.copy_if_newer(target_version_, target_);
  const LossStats stats = gradient_of_.differentiate(
      {.observations = batch.observations,
       .next_observations = batch.next_observations,
       .actions = batch.controls,
       .returns = {batch.n_step_returns, batch.discounts, batch.weights}},
      1.0 / static_cast<double>(batch.size), gradient_, batch.priorities);
  const UpdateInfo update = model_.apply(gradient_, steps);
  updates_ += 1;
  target_parameters_.refresh(updates_, [&](std::span<float> theta) {
    std::optional<std::int64_t> version;
    model_.copy_if_newer(version, theta);
  });
  UpdateReport report{
      .loss = stats, .gradient_norm = update.gradient_norm, .learning_rate = update.learning_rate};
  report.seconds.learning = watch.seconds();
  return report;
}

void DpgLearner::save(Checkpoint& checkpoint) {
  save_target(target_parameters_, checkpoint);
  checkpoint.meta[kPart]["updates"] = updates_;
}

}  // namespace tandem
