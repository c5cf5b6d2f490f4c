#include "tandem/systems/apex/apex_costs.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/median.h"
#include "tandem/learn/shared_model.h"
#include "tandem/nn/arithmetic.h"
#include "tandem/sync/crew.h"
#include "tandem/systems/apex/apex_actor.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/replay_learner.h"

namespace tandem {
namespace {

constexpr int kTurns = 5;

/// A replay with the run's settings, but so small that a measurement can fill it, and without waits
/// for actors or learner.
ReplayConfig small_replay(ReplayConfig replay, std::int64_t batch) {
  replay.capacity = std::min<std::int64_t>(replay.capacity, 20 * batch + replay.segment);
  replay.min_fill = 1;
  replay.samples_per_insert = 0;
  // Read in order it would give each transition once, and then wait for more.
  if (replay.sampler == "fifo") replay.sampler = "uniform";
  return replay;
}

/// An actor, a replay and a learner, all on one core.
class Workbench {
 public:
  Workbench(const ApexConfig& config, const ReplayConfig& replay, const TrainingContext& context,
            int rank)
      : config_(config),
        spec_(context.actor.spec),
        learner_(context.learner.architecture(), context.learner.config(), context.actor.seed),
        context_{.actor = context.actor,
                 .algorithm = context.algorithm,
                 .learner = learner_,
                 .run = context.run},
        model_(learner_),
        replay_learner_(context.algorithm.replay(), context_, model_, 1),
        options_(actor_options(config, replay, context.actor, spec_, rank)),
        actor_(options_, context.actor, NetworkCopy(model_, context.actor.make_network)),
        table_(small_replay(replay, config.batch), options_.format, config.batch,
               context.actor.seed, {}),
        batch_(options_.format, static_cast<std::size_t>(config.batch)) {
    actor_.start();
    while (table_.state().transitions < config.batch) play();
  }

  /// The costs of a step apart from learning: the environment, and acting with inserts into the
  /// replay.
  StepCosts step(double seconds) {
    actor_.take_seconds();
    std::int64_t steps = 0;
    const Stopwatch watch;
    while (watch.seconds() < seconds) {
      play();
      steps += actor_.size();
    }
    const double all = watch.seconds();
    table_.trim();
    const double stepping = actor_.take_seconds().stepping;
    const auto count = static_cast<double>(steps);
    return {.env = stepping / count, .inference = (all - stepping) / count};
  }

  /// The seconds of learning from one sample.
  double learn(double seconds) {
    std::int64_t updates = 0;
    const Stopwatch watch;
    do {
      table_.sample(batch_);
      replay_learner_.update(batch_, 0);
      table_.update(batch_.keys, batch_.priorities);
      updates += 1;
    } while (watch.seconds() < seconds);
    return watch.seconds() / static_cast<double>(updates * config_.batch);
  }

  /// The operations of networks for a step, of which the learner draws `samples` samples.
  [[nodiscard]] double operations(double samples) const {
    const auto& architecture = learner_.architecture();
    double acting = arithmetic_of(architecture).forward;
    // A critic of actions also values the action with its noise.
    if (architecture.deterministic()) acting += arithmetic_of(architecture.value_part()).forward;
    return acting + samples * context_.algorithm.replay().operations(architecture);
  }

 private:
  void play() {
    std::vector<std::unique_ptr<Segment>> full;
    actor_.step(full);
    for (auto& segment : full) table_.insert(std::move(segment), config_.copies);
    actor_.take_episodes();
  }

  const ApexConfig& config_;
  const EnvSpec& spec_;
  Learner learner_;
  TrainingContext context_;
  SharedModel model_;
  ReplayLearner replay_learner_;
  const ApexActorOptions options_;
  ApexActor actor_;
  Table table_;
  SampleBatch batch_;
};

/// The medians of several turns.
StepCosts measure(Workbench& bench, double samples, double seconds) {
  const double turn = seconds / (kTurns + 1) / 2;
  bench.step(turn);
  bench.learn(turn);
  std::vector<double> env, inference, training;
  for (int i = 0; i < kTurns; ++i) {
    const auto costs = bench.step(turn);
    env.push_back(costs.env);
    inference.push_back(costs.inference);
    training.push_back(samples * bench.learn(turn));
  }
  return {.env = median(env),
          .inference = median(inference),
          .training = median(training),
          .operations = bench.operations(samples)};
}

}  // namespace

StepCosts measure_apex_costs(const ApexConfig& config, const ReplayConfig& replay,
                             const TrainingContext& context, double samples, int cores,
                             double seconds) {
  return mean_of_cores(cores, [&](int core) {
    Workbench bench(config, replay, context, core);
    return measure(bench, samples, seconds);
  });
}

}  // namespace tandem
