#include "tandem/systems/common/step_costs.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/acting/env_actions.h"
#include "tandem/acting/recurrent_state.h"
#include "tandem/base/clock.h"
#include "tandem/base/median.h"
#include "tandem/data/rollout.h"
#include "tandem/data/rollout_inputs.h"
#include "tandem/nn/activation_recorder.h"
#include "tandem/nn/arithmetic.h"
#include "tandem/nn/batch.h"
#include "tandem/run/training_run.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/workers.h"

namespace tandem {
namespace {

constexpr int kTurns = 5;

/// Calls `body` for at least `seconds`, or until the run is stopped; returns the number of calls.
template <class Body>
std::int64_t repeat(double seconds, const TrainingRun& run, Body body) {
  const Stopwatch watch;
  std::int64_t calls = 0;
  do {
    body();
    ++calls;
  } while (watch.seconds() < seconds && !run.done());
  return calls;
}

/// One group of environments with everything that training with it needs, a learner included.
class Workbench {
 public:
  Workbench(const TrainingContext& context, const Batching& batching, int first_env);

  /// Takes the steps of a rollout with random actions.
  void step();

  /// Makes an update with the same observations in each rollout: acts in all of them and learns
  /// from them. Adds up the seconds of both parts.
  void act_and_learn();

  /// The steps of a rollout.
  [[nodiscard]] int steps() const { return env_.size() * batching_.steps; }

  /// The seconds of acting in all calls of act_and_learn(); learning() has those of learning.
  [[nodiscard]] double inferring() const { return inferring_; }
  [[nodiscard]] double learning() const { return learning_; }

  /// The operations of the network for one step.
  [[nodiscard]] double operations() const {
    const auto one = arithmetic_of(network_->architecture());
    return (static_cast<double>(forward_) * one.forward +
            static_cast<double>(backward_) * one.backward) /
           static_cast<double>(steps_done_);
  }

 private:
  void act();
  void keep_states(int t);
  void differentiate(std::span<float> gradient);
  Heads heads(int t, int rows = 1) {
    const auto& architecture = network_->architecture();
    const std::int64_t batch = std::int64_t{rows} * env_.size();
    const std::int64_t actions = architecture.policy_outputs;
    return {batch, actions, std::span(logits_).first(static_cast<std::size_t>(batch * actions)),
            architecture.value_head ? rollout_.values(t, rows) : std::span<float>()};
  }

  const Batching batching_;
  const ActingRule& rule_;
  const RolloutLoss& loss_;
  Learner learner_;
  VecEnv env_;
  std::unique_ptr<Network> network_;
  const bool records_;  // whether learning uses the pass that acted
  Workers workers_{1};  // the calling thread alone
  Rollout rollout_;
  RolloutInputs inputs_;
  RecurrentState state_;
  std::vector<float> later_states_;
  std::vector<int> ids_;
  std::vector<Stream*> streams_;
  EnvActions actions_;
  std::vector<float> logits_;
  std::vector<std::vector<float>> gradients_;
  double inferring_ = 0;
  double learning_ = 0;
  std::int64_t steps_done_ = 0;              // in all calls of act_and_learn()
  std::int64_t forward_ = 0, backward_ = 0;  // samples that passed the network meanwhile
};

Workbench::Workbench(const TrainingContext& context, const Batching& batching, int first_env)
    : batching_(batching),
      rule_(context.actor.rule),
      loss_(context.algorithm.rollout_loss()),
      learner_(context.learner.architecture(), context.learner.config(), context.actor.seed),
      env_(context.actor.make_env,
           {.first = first_env, .count = batching.envs, .seed = context.actor.seed}),
      network_(context.actor.make_network(learner_.parameters())),
      records_(!batching.apart && !loss_.needs().passes &&
               (!batching.at_places || network_->at_places() != nullptr)),
      rollout_(env_.spec(), batching.steps, env_.size(), network_->architecture().state_size()),
      state_(network_->architecture(), env_.size()),
      actions_(env_.spec(), env_.size()),
      logits_(static_cast<std::size_t>(network_->architecture().policy_outputs * env_.size() *
                                       batching.steps)),
      gradients_(static_cast<std::size_t>(batching.rollouts),
                 std::vector<float>(learner_.parameters().size())) {
  for (int id = 0; id < env_.size(); ++id) {
    ids_.push_back(id);
    streams_.push_back(&env_.stream(id));
  }
  env_.reset(rollout_.observations(0));
}

void Workbench::step() {
  for (int t = 1; t <= batching_.steps; ++t) {
    act_uniformly(env_.spec(), streams_, rollout_.taken(t - 1));
    env_.step(actions_.of(rollout_.taken(t - 1)), rollout_.observations(t));
  }
  env_.take_episodes();
}

void Workbench::act_and_learn() {
  Stopwatch watch;
  const auto passes = loss_.needs().passes.value_or(Passes{});
  for (auto& gradient : gradients_) {
    act();
    inferring_ += watch.lap();
    steps_done_ += steps();
    for (std::int64_t epoch = 0; epoch < passes.epochs; ++epoch) differentiate(gradient);
    learning_ += watch.lap();
  }
  for (std::int64_t update = 0; update < passes.epochs * passes.minibatches; ++update) {
    learner_.apply(gradients_, 0, workers_);
    network_->reload();
  }
  learning_ += watch.lap();
}

void Workbench::act() {
  forward_ += steps();
  for (int t = 0; t < batching_.steps; ++t) {
    keep_states(t);
    const auto seen = state_.look(ids_, rollout_.observations(t));
    const int passes = batching_.alone ? env_.size() : 1;
    for (int i = 0; i < passes; ++i) {
      const int count = env_.size() / passes;
      const Inputs some = rows_of(seen, i, count, env_.size());
      const Heads out = rows_of(heads(t), i, count);
      records_ ? network_->record(some, out) : network_->forward(some, out);
    }
    state_.keep(ids_);
    rule_.act(heads(t), streams_, rollout_.epsilons(t), rollout_.taken(t));
  }
  // Values the states that the algorithm bootstraps from, as the Collector does.
  const int last = batching_.steps;
  keep_states(last);
  const auto bootstrap = loss_.needs().bootstrap;
  if (bootstrap == Bootstrap::none || batching_.acts_on_last) return;
  if (bootstrap == Bootstrap::every_action) {
    forward_ += env_.size();
    network_->forward(state_.look(ids_, rollout_.observations(last)), heads(last));
  }
  const int first = bootstrap == Bootstrap::last_state ? last : 1;
  const int rows = last - first + 1;
  forward_ += std::int64_t{rows} * env_.size();
  later_states_.assign(rollout_.states(first, rows).begin(), rollout_.states(first, rows).end());
  const Inputs seen{.observations = rollout_.observations(first, rows),
                    .state = later_states_,
                    .episode_starts = rollout_.episode_starts(first, rows)};
  if (batching_.alone) return forward_alone(*network_, seen, heads(first, rows));
  network_->forward(seen, heads(first, rows));
}

void Workbench::keep_states(int t) {
  state_.copy_to(rollout_.states(t), rollout_.episode_starts(t));
}

void Workbench::differentiate(std::span<float> gradient) {
  backward_ += steps();
  if (!records_) {
    forward_ += steps();
    inputs_.clear();
    inputs_.add(rollout_);
    network_->record(inputs_.of(*network_), heads(0, batching_.steps));
  }
  const double samples = steps() * batching_.rollouts;
  network_->backward([&](const Heads& heads,
                         const Heads& out) { loss_.loss(heads, rollout_, 1.0 / samples, out); },
                     gradient);
}

/// Returns the medians of several turns.
StepCosts measure(Workbench& bench, const TrainingRun& run, const Batching& batching,
                  double seconds) {
  repeat(seconds / 10, run, [&] {
    bench.step();
    bench.act_and_learn();
  });

  const double turn = 0.9 * seconds / kTurns / 3;
  std::vector<double> env, inference, training;
  for (int i = 0; i < kTurns; ++i) {
    const Stopwatch watch;
    const auto rollouts = static_cast<double>(repeat(turn, run, [&] { bench.step(); }));
    env.push_back(watch.seconds() / rollouts);

    const double inferring = bench.inferring();
    const double learning = bench.learning();
    const auto updates = static_cast<double>(repeat(2 * turn, run, [&] { bench.act_and_learn(); }));
    inference.push_back((bench.inferring() - inferring) / updates);
    training.push_back((bench.learning() - learning) / updates);
  }
  const double steps = bench.steps();
  return {.env = median(env) / steps,
          .inference = median(inference) / (steps * batching.rollouts),
          .training = median(training) / (steps * batching.rollouts),
          .operations = bench.operations()};
}

}  // namespace

StepCosts measure_step_costs(const TrainingContext& context, const Batching& batching, int cores,
                             double seconds) {
  return mean_of_cores(cores, [&](int core) {
    Workbench bench(context, batching, core * batching.envs);
    return measure(bench, context.run, batching, seconds);
  });
}

StepCosts mean_of_cores(int cores, const std::function<StepCosts(int core)>& measure) {
  std::vector<StepCosts> costs(static_cast<std::size_t>(cores));
  Crew crew;
  crew.spawn("costs", cores,
             [&](int core) { costs[static_cast<std::size_t>(core)] = measure(core); });
  crew.join();

  StepCosts mean;
  for (const auto& one : costs) {
    mean.env += one.env / cores;
    mean.inference += one.inference / cores;
    mean.training += one.training / cores;
    mean.operations += one.operations / cores;
  }
  return mean;
}

}  // namespace tandem
