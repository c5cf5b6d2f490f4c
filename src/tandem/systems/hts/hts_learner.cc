#include "tandem/systems/hts/hts_learner.h"

#include <algorithm>
#include <numeric>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr auto kPrevious = "previous_parameters";  // a tensor of the checkpoint

int group_count(const HtsConfig& config) {
  return static_cast<int>((config.envs + config.envs_per_group - 1) / config.envs_per_group);
}

std::vector<float> previous_parameters(const TrainingContext& context) {
  const auto now = context.learner.parameters();
  if (context.resume == nullptr) return {now.begin(), now.end()};
  const auto saved = context.resume->tensor(kPrevious);
  if (saved.size() != now.size()) throw Error("the checkpoint has another network's parameters");
  return {saved.begin(), saved.end()};
}

}  // namespace

HtsLearner::HtsLearner(const HtsConfig& config, TrainingContext& context)
    : context_(context),
      rollout_loss_(context.algorithm.rollout_loss()),
      samples_(config.envs * context.actor.spec.agents * config.alpha),
      records_(config.deterministic && samples_ <= HtsConfig::kMostRecorded &&
               !rollout_loss_.needs().passes),
      weight_(1.0 / static_cast<double>(samples_)),
      previous_(previous_parameters(context)),
      before_(previous_.size()),
      workers_(std::min(static_cast<int>(config.learners), group_count(config))) {
  const int groups = group_count(config);
  if (rollout_loss_.needs().passes) {
    minibatches_.emplace(context, previous_, samples_, groups);
    return;
  }
  own_.resize(static_cast<std::size_t>(groups));
  for (auto& own : own_) own.network = context.actor.make_network(previous_);
  gradients_.resize(own_.size(), std::vector<float>(previous_.size()));
}

UpdateReport HtsLearner::update(HtsStorage& data, std::int64_t steps, PublishedParameters& acting) {
  const Stopwatch watch;
  const auto theta = context_.learner.parameters();
  const UpdateInfo update =
      minibatches_ ? learn_in_passes(data.groups(), steps) : learn_once(data, steps);
  // theta_{j+1} has the statistics of this experience, too; its gradient was taken with those of
  // theta_{j-1}, which acted.
  observations_.clear();
  for (auto& group : data.groups()) observations_.add(group.observations(0, group.steps()));
  context_.learner.observe(observations_.all());
  acting.stage(theta);
  UpdateReport report{.loss = loss_,
                      .gradient_norm = update.gradient_norm,
                      .learning_rate = update.learning_rate,
                      .episodes = {}};
  report.seconds.learning = watch.seconds() * workers_.threads();
  return report;
}

UpdateInfo HtsLearner::learn_once(HtsStorage& data, std::int64_t steps) {
  const auto groups = data.groups();
  workers_.parallel_for(static_cast<int>(groups.size()), [&](int g) {
    const auto i = static_cast<std::size_t>(g);
    if (data.activations == nullptr) return differentiate(own_[i], groups[i], gradients_[i]);
    const auto first = data.place_of(g * groups.front().envs());
    differentiate(own_[i], groups[i], {*data.activations, first, groups[i].samples()},
                  gradients_[i]);
  });
  loss_ = {};
  for (const auto& own : own_) loss_ += own.stats;
  std::ranges::copy(context_.learner.parameters(), previous_.begin());
  return context_.learner.apply(gradients_, steps, workers_);
}

UpdateInfo HtsLearner::learn_in_passes(std::span<Rollout> groups, std::int64_t steps) {
  const auto theta = context_.learner.parameters();
  const std::vector<float> next_previous(theta.begin(), theta.end());
  std::vector<Rollout*> rollouts;
  for (auto& group : groups) rollouts.push_back(&group);
  const auto summary = minibatches_->learn(
      rollouts, steps, workers_, [&](std::span<const std::vector<float>> gradients) {
        std::ranges::copy(theta, before_.begin());
        const UpdateInfo update = context_.learner.apply(gradients, steps, workers_);
        for (std::size_t i = 0; i < theta.size(); ++i) previous_[i] += theta[i] - before_[i];
        return update;
      });
  loss_ = summary.loss;
  std::ranges::copy(next_previous, previous_.begin());
  return summary.mean;
}

/// Repeats the actors' forward pass, whose activations were not kept, and backpropagates.
void HtsLearner::differentiate(Gradient& own, Rollout& rollout, std::span<float> sum) {
  own.network->reload();
  own.network->record({rollout.observations(0, rollout.steps())},
                      own.heads.of(own.network->architecture(), rollout.samples()));
  own.network->backward(
      [&](const Heads& heads, const Heads& gradient) {
        own.stats = rollout_loss_.loss(heads, rollout, weight_, gradient);
      },
      sum);
}

/// Backpropagates through the actors' pass: the parameters are the same.
void HtsLearner::differentiate(Gradient& own, const Rollout& rollout, const Recorded& samples,
                               std::span<float> sum) {
  own.network->reload();
  own.network->at_places()->backward(
      [&](const Heads& heads, const Heads& gradient) {
        own.stats = rollout_loss_.loss(heads, rollout, weight_, gradient);
      },
      sum, samples);
}

std::unique_ptr<Activations> HtsLearner::make_activations() const {
  if (!records_) return nullptr;
  auto* recorder = own_.front().network->at_places();
  return recorder != nullptr ? recorder->make_activations(samples_) : nullptr;
}

void HtsLearner::record_again(HtsStorage& data) {
  auto& own = own_.front();
  own.network->reload();
  std::int64_t place = 0;
  for (Rollout& group : data.groups()) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(group.samples()));
    std::iota(places.begin(), places.end(), place);
    place += group.samples();
    own.network->at_places()->record_at({group.observations(0, group.steps())},
                                        own.heads.of(own.network->architecture(), group.samples()),
                                        *data.activations, places);
  }
}

void HtsLearner::save(Checkpoint& checkpoint) const {
  checkpoint.add_tensor(kPrevious, {static_cast<std::int64_t>(previous_.size())}, previous_);
  if (minibatches_) minibatches_->save(checkpoint);
}

}  // namespace tandem
