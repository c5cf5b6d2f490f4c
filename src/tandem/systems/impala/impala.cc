#include "tandem/systems/impala/impala.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/collector.h"
#include "tandem/run/checkpoint_loop.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/team.h"
#include "tandem/systems/common/drain.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {
namespace {

/// Section 3: plays with a copy of the parameters. The learner makes a forward pass of its own, so
/// actors record nothing.
class Actor {
 public:
  Actor(const ImpalaConfig& config, const ActorContext& context, const SharedModel& model, int rank)
      : copy_(model, context.make_network),
        network_(copy_.network()),
        collector_(VecEnv(context.make_env, {.first = rank * static_cast<int>(config.envs),
                                             .count = static_cast<int>(config.envs),
                                             .seed = context.seed}),
                   network_, nullptr, context.rule, context.bootstrap,
                   static_cast<int>(config.unroll), RolloutEnd::after_t_max,
                   LastState::looked_at_again, context.rewards) {}

  void start() { collector_.start(); }
  void save(StateWriter& writer) { collector_.save(writer); }
  void load(StateReader& reader) { collector_.load(reader); }

  /// Plays one unroll with the parameters at its start and puts it into `queue`. Writes into `used`
  /// if it is not null. Waits while the queue is full.
  void play(TrainingQueue& queue, std::unique_ptr<Experience> used, std::int64_t steps) {
    copy_.synchronise();
    const Rollout& played = collector_.collect(steps);
    if (used == nullptr) used = std::make_unique<Experience>(Experience{played});
    collector_.exchange(used->rollout);
    used->episodes = collector_.take_episodes();
    used->seconds = collector_.take_seconds();
    used->seconds.waiting += waited_seconds_;
    used->version = copy_.version();
    const Stopwatch watch;
    queue.push(std::move(used));
    waited_seconds_ = watch.seconds();
  }

 private:
  NetworkCopy copy_;
  ForwardActor network_;
  Collector collector_;
  double waited_seconds_ = 0;  // seconds that the last push waited for room in the queue
};

/// Reports an update to `run`; `learned` is the result of the learner's update().
void record(UpdateReport learned, const ExperienceTrainer& learner, TrainingRun& run) {
  const TimeShares learning = learned.seconds;
  const TimeShares playing = learner.playing();
  learned.seconds += playing;
  const auto experiences = static_cast<double>(learner.batch().size());
  const std::array measures = {
      Measure{"impala/training_batch", static_cast<double>(learned.steps), 1},
      Measure{"impala/training_queue", learner.waiting(), experiences},
      Measure{"impala/policy_lag_updates", static_cast<double>(learner.lag()), experiences},
      Measure{"impala/actors_waiting", playing.waiting, playing.total()},
      Measure{"impala/learner_waiting", learning.waiting, learning.total()},
  };
  learned.measures = measures;
  run.record(learned);
}

/// IMPALA with one learner, as in Figure 1 (left).
class Impala final : private Checkpointed {
 public:
  Impala(const ImpalaConfig& config, TrainingContext& context)
      : config_(config),
        context_(context),
        model_(context.learner),
        queue_(static_cast<std::size_t>(config.queue), crew_.stop_token()),
        actors_(static_cast<std::size_t>(config.actors)),
        learner_(context, model_),
        loop_(*this, context.run, crew_) {}

  ~Impala() override { crew_.end(); }  // the threads use all other members
  Impala(const Impala&) = delete;
  Impala& operator=(const Impala&) = delete;

  void train() {
    if (context_.run.done()) return;
    go_on();
    loop_.run();
  }

 private:
  /// A unit of work of an actor, which plays one unroll.
  void play(std::size_t rank) {
    if (!plays_on(context_.run)) return;
    auto& actor = actors_[rank];
    if (actor == nullptr) {
      actor = std::make_unique<Actor>(config_, context_.actor, model_, static_cast<int>(rank));
      start_or_load(*actor, context_.resume, state_name("actor", rank));
    }
    actor->play(queue_, used_.take(), context_.run.steps());
  }

  /// A unit of work of the learner, which makes one update. Returns false when the queue is closed
  /// and empty.
  bool learn() {
    if (!learner_.gather(queue_, config_.batch * config_.unroll)) return false;
    record(learner_.update(context_.run.steps()), learner_, context_.run);
    used_.give(learner_.batch());
    loop_.look();
    return true;
  }

  void go_on() {
    learner_team_.resize(1);
    actor_team_.resize(static_cast<int>(config_.actors));
  }

  void hold() override {
    drain(actor_team_, queue_, learner_team_, [this] { return learn(); });
  }
  void finish() override { hold(); }
  void release() override { go_on(); }

  void collect(Checkpoint& checkpoint) override {
    save_learner(context_.learner, checkpoint);
    for (std::size_t rank = 0; rank < actors_.size(); ++rank) {
      const auto name = state_name("actor", rank);
      if (actors_[rank] == nullptr) {
        keep_state(context_.resume, name, checkpoint);
        continue;
      }
      StateWriter writer;
      actors_[rank]->save(writer);
      checkpoint.add_blob(name, writer.bytes());
    }
  }

  const ImpalaConfig& config_;
  TrainingContext& context_;
  Crew crew_;
  SharedModel model_;
  TrainingQueue queue_;
  UsedExperiences used_;
  std::vector<std::unique_ptr<Actor>> actors_;  // by rank; null before its first unroll
  ExperienceTrainer learner_;
  Team actor_team_{crew_, "actor",
                   [this](int rank, bool) { play(static_cast<std::size_t>(rank)); }};
  Team learner_team_{crew_, "learner", [this](int, bool) { learn(); }};
  CheckpointLoop loop_;
};

}  // namespace

void train_impala(const ImpalaConfig& config, TrainingContext& context) {
  Impala(config, context).train();
}

}  // namespace tandem
