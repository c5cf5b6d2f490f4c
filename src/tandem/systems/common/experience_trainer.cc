#include "tandem/systems/common/experience_trainer.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>

#include "tandem/systems/common/rollout_losses.h"

namespace tandem {

ExperienceTrainer::ExperienceTrainer(const TrainingContext& context, SharedModel& model)
    : rule_(context.actor.rule),
      loss_(context.algorithm.rollout_loss()),
      model_(model),
      copy_(model, context.actor.make_network),
      gradient_(model.size()) {}

bool ExperienceTrainer::gather(TrainingQueue& queue, std::int64_t min_batch) {
  const Stopwatch watch;
  samples_ = 0;
  waiting_ = 0;
  while (samples_ < min_batch) {
    waiting_ += static_cast<double>(queue.size());
    auto experience = queue.pop();
    if (!experience) break;
    samples_ += (*experience)->rollout.samples();
    batch_.push_back(std::move(*experience));
  }
  waited_seconds_ = watch.seconds();
  return !batch_.empty();
}

UpdateReport ExperienceTrainer::update(std::int64_t steps) {
  const Stopwatch watch;
  copy_.synchronise();
  record();
  if (loss_.needs().off_policy) revalue_last_states();
  const ScheduledLoss loss(loss_, steps);
  LossStats stats;
  copy_.network().backward(
      [&](const Heads& heads, const Heads& gradient) {
        const auto rollouts =
            batch_ | std::views::transform(
                         [](const auto& experience) -> const auto& { return experience->rollout; });
        stats = sum_of_losses(*loss, rollouts, 1.0, heads, gradient);
      },
      gradient_);
  const UpdateInfo update = model_.apply({&gradient_, 1}, steps, inputs_.observations());

  episodes_.clear();
  lag_ = 0;
  for (const auto& experience : batch_) {
    std::ranges::copy(experience->episodes, std::back_inserter(episodes_));
    lag_ += copy_.version() - experience->version;
  }
  UpdateReport report{.steps = samples_,
                      .loss = stats,
                      .gradient_norm = update.gradient_norm,
                      .learning_rate = update.learning_rate,
                      .episodes = episodes_};
  report.seconds = {.learning = watch.seconds(), .waiting = waited_seconds_};
  return report;
}

TimeShares ExperienceTrainer::playing() const {
  TimeShares seconds;
  for (const auto& experience : batch_) seconds += experience->seconds;
  return seconds;
}

void ExperienceTrainer::record() {
  inputs_.clear();
  for (const auto& experience : batch_) inputs_.add(experience->rollout);
  inputs_.record(copy_.network(), heads_);
}

/// Values the last states again, with the newest parameters. A recurrent network goes on from the
/// states that record() computed.
void ExperienceTrainer::revalue_last_states() {
  std::int64_t states = 0;
  for (const auto& experience : batch_) states += experience->rollout.envs();
  Network& network = copy_.network();
  const Heads all = last_heads_.of(network.architecture(), states);
  network.forward(inputs_.after(network), all);
  std::int64_t first = 0;
  for (const auto& experience : batch_) {
    Rollout& rollout = experience->rollout;
    const int last = rollout.steps();
    rule_.values(rows_of(all, first, rollout.envs()), rollout.actions(last), rollout.values(last));
    first += rollout.envs();
  }
}

}  // namespace tandem
