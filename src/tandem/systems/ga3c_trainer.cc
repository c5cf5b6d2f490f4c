#include "tandem/systems/ga3c_trainer.h"

#include <span>
#include <utility>

namespace tandem {
namespace {

/// The heads of some samples in a row.
Heads part(const Heads& heads, std::int64_t first, std::int64_t count) {
  const auto cut = [&](std::span<float> all, std::int64_t width) {
    return all.subspan(static_cast<std::size_t>(first * width),
                       static_cast<std::size_t>(count * width));
  };
  return {count, heads.actions, cut(heads.logits, heads.actions), cut(heads.value, 1)};
}

}  // namespace

Ga3cTrainer::Ga3cTrainer(const Parts& parts, SharedModel& model)
    : algorithm_(parts.algorithm),
      model_(model),
      copy_(model, parts.make_network),
      gradient_(model.size()) {}

bool Ga3cTrainer::gather(TrainingQueue& queue, std::int64_t min_batch) {
  const Stopwatch watch;
  samples_ = 0;
  while (samples_ < min_batch) {
    auto experience = queue.pop();
    if (!experience) break;
    samples_ += (*experience)->rollout.samples();
    batch_.push_back(std::move(*experience));
  }
  waited_seconds_ = watch.seconds();
  return !batch_.empty();
}

UpdateReport Ga3cTrainer::update(std::int64_t steps) {
  const Stopwatch watch;
  concatenate();
  copy_.synchronise();
  copy_.network().record({observations_}, heads());
  LossStats stats;
  copy_.network().backward(
      [&](const Heads& heads, const Heads& gradient) { stats = loss(heads, gradient); }, gradient_);
  const UpdateInfo update = model_.apply(gradient_, steps);

  UpdateReport report{.steps = samples_,
                      .loss = stats,
                      .gradient_norm = update.gradient_norm,
                      .learning_rate = update.learning_rate,
                      .episodes = episodes_};
  lag_ = 0;
  for (const auto& experience : batch_) {
    report.seconds += experience->seconds;
    lag_ += copy_.version() - experience->version;
  }
  report.seconds.waiting += waited_seconds_;
  report.seconds.learning += watch.seconds();
  return report;
}

void Ga3cTrainer::concatenate() {
  observations_.clear();
  episodes_.clear();
  for (const auto& experience : batch_) {
    Rollout& rollout = experience->rollout;
    const auto seen = rollout.observations(0, rollout.steps());
    observations_.insert(observations_.end(), seen.begin(), seen.end());
    episodes_.insert(episodes_.end(), experience->episodes.begin(), experience->episodes.end());
  }
}

Heads Ga3cTrainer::heads() {
  const auto& architecture = copy_.network().architecture();
  logits_.resize(static_cast<std::size_t>(samples_ * architecture.policy_outputs));
  value_.resize(static_cast<std::size_t>(samples_));
  return {samples_, architecture.policy_outputs, logits_, value_};
}

LossStats Ga3cTrainer::loss(const Heads& heads, const Heads& gradient) const {
  LossStats all;
  std::int64_t first = 0;
  for (const auto& experience : batch_) {
    const std::int64_t count = experience->rollout.samples();
    all += algorithm_.loss(part(heads, first, count), experience->rollout, 1.0,
                           part(gradient, first, count));
    first += count;
  }
  return all;
}

}  // namespace tandem
