#include "tandem/systems/paac/paac.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/collector.h"
#include "tandem/acting/target_network.h"
#include "tandem/base/clock.h"
#include "tandem/nn/batch.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/minibatches.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {
namespace {

/// A part of the n_e environments and the network that acts in them. Between two updates groups are
/// independent: each runs through its t_max steps on any free worker, without waiting for the
/// others at every step. The number of groups follows from the config alone, never from the
/// threads, so the order of all sums and every bit of the result do, too.
struct Group {
  std::unique_ptr<Network> network = nullptr;
  std::unique_ptr<ActorNetwork> actor = nullptr;
  std::unique_ptr<TargetNetwork> target = nullptr;
  std::unique_ptr<Collector> collector = nullptr;
  Rollout* rollout = nullptr;  // the collector's last rollout
  LossStats stats = {};
  double learning_seconds = 0;

  /// Loads the parameters of the last update.
  void reload() {
    const Stopwatch watch;
    network->reload();
    target->synchronise();
    learning_seconds = watch.seconds();
  }

  /// Computes this group's share of the mean gradient over all n_e * t_max samples (Algorithm 1,
  /// lines 12 to 17). The forward pass is the one that acted: the parameters are the same.
  void differentiate(const RolloutLoss& loss, double weight, std::span<float> gradient) {
    const Stopwatch watch;
    network->backward([&](const Heads& heads,
                          const Heads& out) { stats = loss.loss(heads, *rollout, weight, out); },
                      gradient);
    learning_seconds += watch.seconds();
  }
};

int group_count(const PaacConfig& config) {
  return static_cast<int>((config.envs + config.envs_per_group - 1) / config.envs_per_group);
}

int worker_count(const PaacConfig& config, int thread_budget) {
  return std::min(static_cast<int>(config.workers), thread_budget);
}

/// Algorithms with several passes (PPO) do not learn from the pass that acts.
std::unique_ptr<ActorNetwork> actor_of(Network& network, const Algorithm& algorithm) {
  if (algorithm.rollout_loss().needs().passes) return std::make_unique<ForwardActor>(network);
  return std::make_unique<RecordingActor>(network);
}

/// Makes one group of the n_e environments (Algorithm 1, line 2). If there are two or more workers
/// for each group (one group on a GPU: the architecture of the paper's Figure 1), they share the
/// group's environments.
Group make_group(const PaacConfig& config, const TrainingContext& context,
                 const TargetParameters& target, int index) {
  const int first = index * static_cast<int>(config.envs_per_group);
  const int count =
      std::min(static_cast<int>(config.envs_per_group), static_cast<int>(config.envs) - first);
  const int workers_each = worker_count(config, context.threads) / group_count(config);
  Group group{.network = context.actor.make_network(context.learner.parameters()),
              .target = std::make_unique<TargetNetwork>(target, context.actor.make_network)};
  group.actor = actor_of(*group.network, context.algorithm);
  group.collector = std::make_unique<Collector>(
      VecEnv(context.actor.make_env, {.first = first,
                                      .count = count,
                                      .threads = workers_each > 1 ? workers_each : 0,
                                      .seed = context.actor.seed}),
      *group.actor, group.target->get(), context.algorithm, static_cast<int>(config.t_max),
      RolloutEnd::after_t_max, LastState::looked_at_again, context.actor.rewards);
  return group;
}

void start(Group& group, std::size_t index, const Checkpoint* resume) {
  if (resume == nullptr) return group.collector->start();
  StateReader reader(resume->blob(state_name("environments", index)));
  group.collector->load(reader);
}

/// Makes one update by an algorithm with several passes over the same experience.
UpdateInfo learn_in_passes(Minibatches& minibatches, std::vector<Group>& groups,
                           TrainingContext& context, Workers& workers) {
  std::vector<Rollout*> rollouts;
  for (auto& group : groups) {
    rollouts.push_back(group.rollout);
    group.stats = {};
  }
  const std::int64_t steps = context.run.steps();
  const auto summary = minibatches.learn(rollouts, steps, workers,
                                         [&](std::span<const std::vector<float>> gradients) {
                                           return context.learner.apply(gradients, steps, workers);
                                         });
  groups.front().stats = summary.loss;
  return summary.mean;
}

/// Adds the observations of all groups to the statistics of the network's inputs.
void observe(const std::vector<Group>& groups, Learner& learner) {
  Pieces observations;
  for (const auto& group : groups) {
    observations.add(group.rollout->observations(0, group.rollout->steps()));
  }
  learner.observe(observations.all());
}

void save(const std::vector<Group>& groups, TargetParameters& target,
          const std::optional<Minibatches>& minibatches, TrainingContext& context) {
  Checkpoint checkpoint;
  save_learner(context.learner, checkpoint);
  save_target(target, checkpoint);
  if (minibatches) minibatches->save(checkpoint);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    save_state(*groups[g].collector, state_name("environments", g), checkpoint);
  }
  context.run.save(checkpoint);
}

/// Sums over all groups since the last report.
UpdateReport report(std::vector<Group>& groups, std::vector<Episode>& episodes) {
  UpdateReport all;
  episodes.clear();
  for (Group& group : groups) {
    all.loss += group.stats;
    all.seconds += group.collector->take_seconds();
    all.seconds.learning += group.learning_seconds;
    std::ranges::copy(group.collector->take_episodes(), std::back_inserter(episodes));
  }
  all.episodes = episodes;
  return all;
}

}  // namespace

void train_paac(const PaacConfig& config, TrainingContext& context) {
  const RolloutLoss& loss = context.algorithm.rollout_loss();
  const Needs needs = loss.needs();
  const int count = group_count(config);
  Workers workers(std::min(worker_count(config, context.threads), count));
  std::vector<Group> groups(static_cast<std::size_t>(count));
  std::vector<std::vector<float>> gradients(groups.size());
  std::vector<Episode> episodes;
  TargetParameters target(context.learner.parameters(), needs.target_steps, context.run.steps());
  if (context.resume != nullptr) load_target(*context.resume, target);
  workers.parallel_for(count, [&](int g) {
    const auto i = static_cast<std::size_t>(g);
    groups[i] = make_group(config, context, target, g);
    gradients[i].resize(context.learner.parameters().size());
    start(groups[i], i, context.resume);
  });

  const std::int64_t samples = config.envs * context.actor.spec.agents * config.t_max;
  std::optional<Minibatches> minibatches;
  if (needs.passes) {
    minibatches.emplace(context, context.learner.parameters(), config.t_max, samples / config.t_max,
                        count);
  }
  // The loop from line 3 to line 20 of Algorithm 1 begins here.
  while (!context.run.done()) {
    Stopwatch watch;
    const ScheduledLoss now(loss, context.run.steps());
    workers.parallel_for(count, [&](int g) {
      const auto i = static_cast<std::size_t>(g);
      groups[i].reload();
      // Acts and values the last states (lines 4 to 12).
      groups[i].rollout = &groups[i].collector->collect(context.run.steps());
      if (minibatches) return;
      groups[i].differentiate(*now, 1.0 / static_cast<double>(samples), gradients[i]);
    });
    const double parallel_seconds = watch.lap();
    // Updates the parameters (line 18).
    const UpdateInfo update = minibatches
                                  ? learn_in_passes(*minibatches, groups, context, workers)
                                  : context.learner.apply(gradients, context.run.steps(), workers);
    // The passes over this experience all used the statistics with which it was acted on, so these
    // change only now.
    observe(groups, context.learner);
    const double update_seconds = watch.lap();

    UpdateReport all = report(groups, episodes);
    all.steps = samples;  // counts the steps (line 19)
    all.gradient_norm = update.gradient_norm;
    all.learning_rate = update.learning_rate;
    // A worker without a group waits while groups run. All workers share the update.
    all.seconds.waiting += parallel_seconds * workers.threads() - all.seconds.total();
    all.seconds.learning += update_seconds * workers.threads();
    context.run.record(all);
    target.refresh(context.run.steps(), [&](std::span<float> own) {
      std::ranges::copy(context.learner.parameters(), own.begin());
    });
    if (context.run.checkpoint_due()) save(groups, target, minibatches, context);
  }
  save(groups, target, minibatches, context);
}

}  // namespace tandem
