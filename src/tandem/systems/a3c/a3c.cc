#include "tandem/systems/a3c/a3c.h"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/collector.h"
#include "tandem/acting/target_network.h"
#include "tandem/data/rollout_inputs.h"
#include "tandem/nn/batch.h"
#include "tandem/sync/crew.h"
#include "tandem/systems/a3c/a3c_targets.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {
namespace {

/// One thread of section 4: its environment, its exploration (the environment's own stream) and
/// theta', its copy of the shared parameters theta. In the paper's Algorithm 1 the thread acts with
/// theta itself, which other threads update meanwhile; here every method acts with theta', as in
/// Algorithms 2 and 3.
class ActorLearner {
 public:
  /// Starts with theta' = `theta`.
  ActorLearner(const A3cConfig& config, const ActorContext& context, const RolloutLoss& loss,
               std::span<const float> theta, const TargetParameters& target, int thread)
      : thread_(thread),
        loss_(loss),
        parameters_(theta.begin(), theta.end()),
        gradient_(parameters_.size()),
        network_(context.make_network(parameters_)),
        own_actor_(*network_),
        target_(target, context.make_network),
        acts_by_target_(config.act_by_target),
        collector_(VecEnv(context.make_env, {.first = thread, .seed = context.seed}), actor(),
                   target_.get(), context.rule, context.bootstrap, static_cast<int>(config.t_max),
                   RolloutEnd::at_episode, LastState::looked_at_again, context.rewards) {}

  /// Runs from one synchronisation with theta to the next update of theta.
  void update(Hogwild& shared, A3cTargets& targets, TrainingRun& run) {
    Stopwatch watch;
    shared.copy_parameters(parameters_);  // theta' <- theta
    network_->reload();
    target_.synchronise();
    double learning_seconds = watch.lap();

    // The rollout has t_max steps, or fewer at an episode's end.
    Rollout& rollout = collector_.collect(run.steps());
    watch.lap();

    if (acts_by_target_) look_at(rollout);  // the pass that acted was not that of theta'

    // The gradient is the sum over all steps, as in the paper; PAAC takes the mean.
    const ScheduledLoss loss(loss_, run.steps());
    LossStats stats;
    network_->backward(
        [&](const Heads& heads, const Heads& out) { stats = loss->loss(heads, rollout, 1.0, out); },
        gradient_);
    const UpdateInfo update = shared.apply(thread_, gradient_, run.steps());
    const std::span<const std::byte> observations = rollout.observations(0, rollout.steps());
    shared.observe({&observations, 1});
    learning_seconds += watch.lap();

    const auto episodes = collector_.take_episodes();
    UpdateReport report{.steps = rollout.samples(),
                        .loss = stats,
                        .gradient_norm = update.gradient_norm,
                        .learning_rate = update.learning_rate,
                        .episodes = episodes,
                        .seconds = collector_.take_seconds()};
    report.seconds.learning += learning_seconds;
    run.record(report);  // T <- T + steps
    // Copies theta to theta- every I_target steps.
    targets.stepped(thread_, rollout.samples(), run.steps(),
                    [&](std::span<float> own) { shared.copy_parameters(own); });
  }

  void start() { collector_.start(); }
  void save(StateWriter& writer) { collector_.save(writer); }
  void load(StateReader& reader) { collector_.load(reader); }

 private:
  /// The network that acts. The passes of theta' are also learned from.
  ActorNetwork& actor() {
    return acts_by_target_ ? *target_.get() : static_cast<ActorNetwork&>(own_actor_);
  }

  /// Evaluates the states of a rollout with theta', and keeps the activations for the gradient.
  void look_at(Rollout& rollout) {
    inputs_.clear();
    inputs_.add(rollout);
    inputs_.record(*network_, heads_);
  }

  const int thread_;
  const RolloutLoss& loss_;
  std::vector<float> parameters_;
  std::vector<float> gradient_;
  std::unique_ptr<Network> network_;
  RecordingActor own_actor_;
  TargetNetwork target_;
  const bool acts_by_target_;  // section 4.1's variant
  RolloutInputs inputs_;       // of theta', where theta- acts
  HeadsBuffer heads_;
  Collector collector_;
};

using ActorLearners = std::vector<std::unique_ptr<ActorLearner>>;

void save(const ActorLearners& threads, Hogwild& shared, A3cTargets& targets,
          TrainingContext& context) {
  Checkpoint checkpoint;
  save_learner(context.learner, checkpoint);
  targets.save(checkpoint);
  save_slots(shared.slots(), checkpoint);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    save_state(*threads[i], state_name("thread", i), checkpoint);
  }
  context.run.save(checkpoint);
}

/// Makes the threads' environments, and starts them or restores their state.
ActorLearners make_threads(const A3cConfig& config, const TrainingContext& context,
                           const A3cTargets& targets) {
  const auto count = static_cast<int>(config.learners);
  ActorLearners threads(static_cast<std::size_t>(count));
  Crew crew;
  crew.spawn("start", count, [&](int i) {
    const auto thread = static_cast<std::size_t>(i);
    threads[thread] =
        std::make_unique<ActorLearner>(config, context.actor, context.algorithm.rollout_loss(),
                                       context.learner.parameters(), targets.of(i), i);
    if (context.resume == nullptr) return threads[thread]->start();
    StateReader reader(context.resume->blob(state_name("thread", thread)));
    threads[thread]->load(reader);
  });
  crew.join();
  return threads;
}

}  // namespace

void train_a3c(const A3cConfig& config, TrainingContext& context) {
  const auto count = static_cast<int>(config.learners);
  Hogwild shared(context.learner, config.sharing, count);
  TrainingRun& run = context.run;
  const auto target_steps = context.algorithm.rollout_loss().needs().target_steps;
  if (target_steps == 0 && (config.own_targets || config.act_by_target)) {
    throw std::logic_error("a variant of target networks without one");
  }
  A3cTargets targets(config, context.learner.parameters(), target_steps, run.steps(),
                     context.resume);
  if (context.resume != nullptr) load_slots(*context.resume, shared.slots());
  const auto threads = make_threads(config, context, targets);

  while (!run.done()) {
    Crew crew;
    crew.spawn("learner", count, [&](int i) {
      const auto stop = crew.stop_token();
      do {
        threads[static_cast<std::size_t>(i)]->update(shared, targets, run);
      } while (!run.done() && !run.checkpoint_due() && !stop.stop_requested());
    });
    crew.join();
    // A checkpoint shows the state of one moment, so the threads end first; new threads go on.
    save(threads, shared, targets, context);
  }
  // A stop may have come after a snapshot that was for an evaluation alone.
  save(threads, shared, targets, context);
}

}  // namespace tandem
