#include "tandem/systems/hts_learner.h"

#include <algorithm>

#include "tandem/base/clock.h"

namespace tandem {
namespace {

constexpr auto kPrevious = "previous_parameters";  // in a checkpoint

int group_count(const HtsConfig& config) {
  return static_cast<int>((config.envs + config.envs_per_group - 1) / config.envs_per_group);
}

std::vector<float> previous_parameters(const Parts& parts) {
  const auto now = parts.learner.parameters();
  if (parts.resume == nullptr) return {now.begin(), now.end()};
  const auto saved = parts.resume->tensor(kPrevious);
  if (saved.size() != now.size()) throw Error("the checkpoint has another network's parameters");
  return {saved.begin(), saved.end()};
}

}  // namespace

HtsLearner::HtsLearner(const HtsConfig& config, Parts& parts)
    : parts_(parts),
      weight_(1.0 / static_cast<double>(config.envs * config.alpha)),
      previous_(previous_parameters(parts)),
      workers_(std::min(static_cast<int>(config.learners), group_count(config))),
      own_(static_cast<std::size_t>(group_count(config))),
      gradients_(own_.size(), std::vector<float>(previous_.size())) {
  for (auto& own : own_) own.network = parts.make_network(previous_);
}

UpdateReport HtsLearner::update(std::span<Rollout> groups, std::int64_t steps,
                                PublishedParameters& acting) {
  Stopwatch watch;
  workers_.parallel_for(static_cast<int>(groups.size()), [&](int g) {
    const auto i = static_cast<std::size_t>(g);
    differentiate(own_[i], groups[i], gradients_[i]);
  });
  const double parallel_seconds = watch.lap();
  std::ranges::copy(parts_.learner.parameters(), previous_.begin());
  const UpdateInfo update = parts_.learner.apply(gradients_, steps, workers_);
  acting.stage(parts_.learner.parameters());

  UpdateReport report{.steps = 0,
                      .gradient_norm = update.gradient_norm,
                      .learning_rate = update.learning_rate,
                      .episodes = {}};
  for (const auto& own : own_) {
    report.loss += own.stats;
    report.seconds.learning += own.seconds;
  }
  // A learner without a group waited. All share the update.
  report.seconds.waiting = parallel_seconds * workers_.threads() - report.seconds.learning;
  report.seconds.learning += watch.seconds() * workers_.threads();
  return report;
}

/// The actors' forward pass again, whose activations they did not keep, and backward.
void HtsLearner::differentiate(Gradient& own, Rollout& rollout, std::span<float> sum) {
  const Stopwatch watch;
  own.network->reload();
  const auto& architecture = own.network->architecture();
  const std::int64_t samples = rollout.samples();
  own.logits.resize(static_cast<std::size_t>(samples * architecture.policy_outputs));
  own.value.resize(static_cast<std::size_t>(samples));
  own.network->record({rollout.observations(0, rollout.steps())},
                      {samples, architecture.policy_outputs, own.logits, own.value});
  own.network->backward(
      [&](const Heads& heads, const Heads& gradient) {
        own.stats = parts_.algorithm.loss(heads, rollout, weight_, gradient);
      },
      sum);
  own.seconds = watch.seconds();
}

void HtsLearner::save(Checkpoint& checkpoint) const {
  checkpoint.add_tensor(kPrevious, {static_cast<std::int64_t>(previous_.size())}, previous_);
}

}  // namespace tandem
