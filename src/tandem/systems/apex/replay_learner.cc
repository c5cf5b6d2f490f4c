#include "tandem/systems/apex/replay_learner.h"

#include <optional>

namespace tandem {
namespace {

constexpr auto kPart = "replay_learner";  // of the checkpoint's meta

std::int64_t updates_before(const Parts& parts) {
  return parts.resume == nullptr ? 0 : parts.resume->part(kPart).at("updates").get<std::int64_t>();
}

}  // namespace

ReplayLearner::ReplayLearner(const MakeReplayLoss& make_loss, std::int64_t target_updates,
                             const Parts& parts, SharedModel& model)
    : model_(model),
      updates_(updates_before(parts)),
      target_(parts.learner.parameters(), target_updates, updates_),
      workers_(parts.threads),
      stats_(static_cast<std::size_t>(parts.threads)),
      gradients_(stats_.size(), std::vector<float>(model.size())) {
  if (parts.resume != nullptr) load_target(*parts.resume, target_);
  for (int i = 0; i < parts.threads; ++i) {
    losses_.push_back(make_loss(parts, parts.learner.parameters(), target_));
  }
}

UpdateReport ReplayLearner::update(SampleBatch& batch, std::int64_t steps) {
  const Stopwatch watch;
  workers_.parallel_for(workers_.threads(), [&](int thread) {
    const auto i = static_cast<std::size_t>(thread);
    const auto first = i * batch.size / losses_.size();
    const auto last = (i + 1) * batch.size / losses_.size();
    if (first == last) return;
    stats_[i] = losses_[i]->differentiate(batch.part(first, last),
                                          1.0 / static_cast<double>(batch.size), gradients_[i]);
  });
  const UpdateInfo update = model_.apply(gradients_, steps);
  updates_ += 1;
  target_.refresh(updates_, [&](std::span<float> theta) {
    std::optional<std::int64_t> version;
    model_.copy_if_newer(version, theta);
  });
  UpdateReport report{.gradient_norm = update.gradient_norm, .learning_rate = update.learning_rate};
  for (const auto& stats : stats_) report.loss += stats;
  report.seconds.learning = watch.seconds();
  return report;
}

void ReplayLearner::save(Checkpoint& checkpoint) {
  save_target(target_, checkpoint);
  checkpoint.meta[kPart]["updates"] = updates_;
}

}  // namespace tandem
