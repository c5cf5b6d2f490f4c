#include "tandem/systems/dqn_learner.h"

#include <algorithm>

namespace tandem {

Heads DqnLearner::Outputs::heads(const Architecture& architecture, std::int64_t batch) {
  logits.resize(static_cast<std::size_t>(batch * architecture.policy_outputs));
  value.resize(architecture.value_head ? static_cast<std::size_t>(batch) : 0);
  return {batch, architecture.policy_outputs, logits, value};
}

namespace {

constexpr auto kPart = "dqn";  // of the checkpoint's meta

std::int64_t updates_before(const Parts& parts) {
  return parts.resume == nullptr ? 0 : parts.resume->part(kPart).at("updates").get<std::int64_t>();
}

}  // namespace

DqnLearner::DqnLearner(const DqnConfig& config, const Parts& parts, SharedModel& model)
    : config_(config),
      model_(model),
      network_(parts.make_network(parts.learner.parameters())),
      updates_(updates_before(parts)),
      target_parameters_(parts.learner.parameters(), config.target_updates, updates_),
      gradient_(model.size()) {
  if (parts.resume != nullptr) load_target(*parts.resume, target_parameters_);
  target_.emplace(target_parameters_, parts.make_network);
}

UpdateReport DqnLearner::update(SampleBatch& batch, std::int64_t steps) {
  const Stopwatch watch;
  const auto samples = static_cast<std::int64_t>(batch.size);
  const auto& architecture = network_->architecture();
  const NextStates next{.online = next_online_.heads(architecture, samples),
                        .target = next_target_.heads(architecture, samples)};
  if (config_.double_q) network_->forward({batch.next_observations}, next.online);
  target_->network().forward({batch.next_observations}, next.target);
  network_->record({batch.observations}, now_.heads(architecture, samples));
  LossStats stats;
  network_->backward(
      [&](const Heads& heads, const Heads& gradient) {
        stats = dqn_loss(config_, heads, next,
                         {batch.actions, batch.n_step_returns, batch.discounts, batch.weights},
                         1.0 / static_cast<double>(samples), gradient, batch.priorities);
      },
      gradient_);
  const UpdateInfo update = model_.apply(gradient_, steps);
  network_->reload();
  updates_ += 1;
  target_parameters_.refresh(updates_, [&](std::span<float> theta) {
    std::optional<std::int64_t> version;
    model_.copy_if_newer(version, theta);
  });
  target_->synchronise();
  UpdateReport report{
      .loss = stats, .gradient_norm = update.gradient_norm, .learning_rate = update.learning_rate};
  report.seconds.learning = watch.seconds();
  return report;
}

void DqnLearner::save(Checkpoint& checkpoint) {
  save_target(target_parameters_, checkpoint);
  checkpoint.meta[kPart]["updates"] = updates_;
}

}  // namespace tandem
