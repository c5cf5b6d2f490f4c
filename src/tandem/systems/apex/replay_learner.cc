#include "tandem/systems/apex/replay_learner.h"

#include <algorithm>
#include <optional>

#include "tandem/systems/common/learner_state.h"

namespace tandem {
namespace {

constexpr auto kPart = "replay_learner";  // a part of the checkpoint's meta

std::int64_t updates_before(const TrainingContext& context) {
  return context.resume == nullptr ? 0
                                   : context.resume->part(kPart).at("updates").get<std::int64_t>();
}

}  // namespace

ReplayLearner::ReplayLearner(const ReplayAlgorithm& algorithm, const TrainingContext& context,
                             SharedModel& model, int shares)
    : model_(model),
      updates_(updates_before(context)),
      target_(context.learner.parameters(), algorithm.target_updates(), updates_),
      workers_(std::min(context.threads, shares)),
      gradients_(static_cast<std::size_t>(shares), std::vector<float>(model.size())) {
  if (context.resume != nullptr) load_target(*context.resume, target_);
  for (int i = 0; i < shares; ++i) shares_.push_back(make_share(algorithm, context));
}

ReplayLearner::Share ReplayLearner::make_share(const ReplayAlgorithm& algorithm,
                                               const TrainingContext& context) const {
  Share share{.theta_minus = std::vector<float>(target_.size())};
  target_.copy_if_newer(share.version, share.theta_minus);
  share.gradient = algorithm.make_gradient(context.actor.make_network, context.learner.parameters(),
                                           share.theta_minus);
  return share;
}

UpdateReport ReplayLearner::update(SampleBatch& batch, std::int64_t steps) {
  const Stopwatch watch;
  workers_.parallel_for(static_cast<int>(shares_.size()), [&](int share) {
    const auto i = static_cast<std::size_t>(share);
    const auto first = i * batch.size / shares_.size();
    const auto last = (i + 1) * batch.size / shares_.size();
    if (first == last) return;
    differentiate(shares_[i], batch.part(first, last), 1.0 / static_cast<double>(batch.size),
                  gradients_[i]);
  });
  const std::span<const std::byte> observations = batch.observations;
  const UpdateInfo update = model_.apply(gradients_, steps, {&observations, 1}, workers_);
  updates_ += 1;
  target_.refresh(updates_, [&](std::span<float> theta) {
    std::optional<std::int64_t> version;
    model_.copy_if_newer(version, theta);
  });
  UpdateReport report{.gradient_norm = update.gradient_norm, .learning_rate = update.learning_rate};
  for (const auto& share : shares_) report.loss += share.stats;
  report.seconds.learning = watch.seconds();
  return report;
}

/// Copies a new theta- just before the share needs it, so that threads copy in parallel.
void ReplayLearner::differentiate(Share& share, const Samples& samples, double weight,
                                  std::span<float> gradient) const {
  if (target_.copy_if_newer(share.version, share.theta_minus)) share.gradient->target_changed();
  share.stats = share.gradient->differentiate(samples, weight, gradient);
}

void ReplayLearner::save(Checkpoint& checkpoint) {
  save_target(target_, checkpoint);
  checkpoint.meta[kPart]["updates"] = updates_;
}

}  // namespace tandem
