#include "tandem/systems/hts/hts_learner.h"

#include <algorithm>
#include <numeric>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/systems/common/rollout_losses.h"

namespace tandem {
namespace {

constexpr auto kPrevious = "previous_parameters";  // a tensor of the checkpoint

std::vector<float> previous_parameters(const TrainingContext& context) {
  const auto now = context.learner.parameters();
  if (context.resume == nullptr) return {now.begin(), now.end()};
  const auto saved = context.resume->tensor(kPrevious);
  if (saved.size() != now.size()) throw Error("the checkpoint has another network's parameters");
  return {saved.begin(), saved.end()};
}

}  // namespace

HtsLearner::HtsLearner(const HtsConfig& config, const HtsShape& shape, TrainingContext& context)
    : context_(context),
      shape_(shape),
      rollout_loss_(context.algorithm.rollout_loss()),
      records_(shape.samples() <= HtsConfig::kMostRecorded && !rollout_loss_.needs().passes),
      weight_(1.0 / static_cast<double>(shape.samples_each())),
      from_newest_(config.passes_from_newest),
      previous_(previous_parameters(context)),
      before_(previous_.size()),
      acted_(previous_.size()),
      workers_(std::min(static_cast<int>(config.learners), shape.groups())) {
  if (rollout_loss_.needs().passes) {
    const auto first =
        from_newest_ ? context.learner.parameters() : std::span<const float>(previous_);
    minibatches_.emplace(context, first, shape.steps,
                         std::int64_t{shape.envs} * shape.rollouts_each(), shape.groups());
    return;
  }
  own_.resize(static_cast<std::size_t>(shape.groups()));
  for (auto& own : own_) own.network = context.actor.make_network(previous_);
  gradients_.resize(own_.size(), std::vector<float>(previous_.size()));
}

std::vector<UpdateReport> HtsLearner::update(HtsStorage& data, std::int64_t steps,
                                             PublishedParameters& acting) {
  const Stopwatch watch;
  const auto theta = context_.learner.parameters();
  std::ranges::copy(theta, acted_.begin());
  std::vector<UpdateReport> reports;
  for (int update = 0; update < shape_.updates; ++update) {
    reports.push_back(minibatches_ ? learn_in_passes(data.of_update(update), steps)
                                   : learn_once(data, update, steps));
    steps += shape_.samples_each();
  }
  std::ranges::copy(acted_, previous_.begin());
  // theta_{j+1} has the statistics of this experience, too; its gradient was taken with those of
  // theta_{j-1}, which acted, or of theta_j where passes begin there.
  observations_.clear();
  for (auto& rollout : data.all()) observations_.add(rollout.observations(0, rollout.steps()));
  context_.learner.observe(observations_.all());
  acting.stage(theta);
  reports.back().seconds.learning = watch.seconds() * workers_.threads();
  return reports;
}

UpdateReport HtsLearner::learn_once(HtsStorage& data, int update, std::int64_t steps) {
  const ScheduledLoss loss(rollout_loss_, steps);
  workers_.parallel_for(shape_.groups(), [&](int group) {
    differentiate(*loss, own_[static_cast<std::size_t>(group)], data, update, group);
  });
  LossStats all;
  for (const auto& own : own_) all += own.stats;
  const UpdateInfo moved = context_.learner.apply(gradients_, steps, workers_);
  return {.loss = all, .gradient_norm = moved.gradient_norm, .learning_rate = moved.learning_rate};
}

UpdateReport HtsLearner::learn_in_passes(std::span<Rollout> rollouts, std::int64_t steps) {
  const auto theta = context_.learner.parameters();
  std::vector<Rollout*> all;
  for (auto& rollout : rollouts) all.push_back(&rollout);
  const auto [loss, mean] =
      minibatches_->learn(all, steps, workers_, [&](std::span<const std::vector<float>> gradients) {
        if (from_newest_) return context_.learner.apply(gradients, steps, workers_);
        std::ranges::copy(theta, before_.begin());
        const UpdateInfo moved = context_.learner.apply(gradients, steps, workers_);
        for (std::size_t i = 0; i < theta.size(); ++i) previous_[i] += theta[i] - before_[i];
        return moved;
      });
  return {.loss = loss, .gradient_norm = mean.gradient_norm, .learning_rate = mean.learning_rate};
}

/// Computes a group's gradient for an update. If actors kept the activations of their passes, it is
/// backpropagated through these, because the parameters are the same; otherwise the passes are made
/// again.
void HtsLearner::differentiate(const RolloutLoss& loss, Gradient& own, HtsStorage& data, int update,
                               int group) {
  const auto rollouts = data.of_group(update, group);
  const HeadLoss head_loss = [&](const Heads& heads, const Heads& gradient) {
    own.stats = sum_of_losses(loss, rollouts, weight_, heads, gradient);
  };
  auto& sum = gradients_[static_cast<std::size_t>(group)];
  own.network->reload();
  if (data.activations != nullptr) {
    const auto samples = std::ssize(rollouts) * rollouts.front().samples();
    const auto first =
        data.place_of(update * shape_.rollouts_each(), group * shape_.envs_per_group);
    return own.network->at_places()->backward(head_loss, sum, {*data.activations, first, samples});
  }
  own.inputs.clear();
  for (Rollout& rollout : rollouts) own.inputs.add(rollout);
  own.inputs.record(*own.network, own.heads);
  own.network->backward(head_loss, sum);
}

std::unique_ptr<Activations> HtsLearner::make_activations() const {
  if (!records_) return nullptr;
  auto* recorder = own_.front().network->at_places();
  return recorder != nullptr ? recorder->make_activations(shape_.samples()) : nullptr;
}

void HtsLearner::record_again(HtsStorage& data) {
  auto& own = own_.front();
  own.network->reload();
  std::int64_t place = 0;
  for (Rollout& rollout : data.all()) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(rollout.samples()));
    std::iota(places.begin(), places.end(), place);
    place += rollout.samples();
    own.network->at_places()->record_at(
        {rollout.observations(0, rollout.steps())},
        own.heads.of(own.network->architecture(), rollout.samples()), *data.activations, places);
  }
}

void HtsLearner::save(Checkpoint& checkpoint) const {
  checkpoint.add_tensor(kPrevious, {static_cast<std::int64_t>(previous_.size())}, previous_);
  if (minibatches_) minibatches_->save(checkpoint);
}

}  // namespace tandem
