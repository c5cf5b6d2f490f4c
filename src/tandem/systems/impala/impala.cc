#include "tandem/systems/impala/impala.h"

#include <memory>
#include <utility>
#include <vector>

#include "tandem/acting/network_copy.h"
#include "tandem/run/checkpoint_loop.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/team.h"
#include "tandem/systems/common/drain.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/systems/impala/impala_actor.h"
#include "tandem/systems/impala/impala_report.h"

namespace tandem {
namespace {

/// One actor's place, and how long it waited for room in the queue.
struct Seat {
  std::unique_ptr<ImpalaActor> actor = nullptr;  // null before its first unroll
  double waited_seconds = 0;                     // for the last push
};

/// IMPALA with one learner, as in Figure 1 (left).
class Impala final : private Checkpointed {
 public:
  Impala(const ImpalaConfig& config, TrainingContext& context)
      : config_(config),
        context_(context),
        model_(context.learner),
        queue_(static_cast<std::size_t>(config.queue), crew_.stop_token()),
        seats_(static_cast<std::size_t>(config.actors)),
        learner_(context, model_),
        loop_(*this, context.run, crew_) {}

  ~Impala() override { crew_.end(); }  // the threads use all other members
  Impala(const Impala&) = delete;
  Impala& operator=(const Impala&) = delete;

  void train() {
    go_on();
    loop_.run();
  }

 private:
  /// A unit of work of an actor, which plays one unroll.
  void play(std::size_t rank) {
    if (!plays_on(context_.run)) return;
    auto& [actor, waited_seconds] = seats_[rank];
    if (actor == nullptr) {
      actor = std::make_unique<ImpalaActor>(config_, context_.actor,
                                            NetworkCopy(model_, context_.actor.make_network),
                                            static_cast<int>(rank), context_.actor.seed);
      start_or_load(*actor, context_.resume, state_name("actor", rank));
    }
    auto played = actor->play(used_.take(), context_.run.steps());
    played->seconds.waiting += waited_seconds;
    const Stopwatch watch;
    queue_.push(std::move(played));
    waited_seconds = watch.seconds();
  }

  /// A unit of work of the learner, which makes one update. Returns false when the queue is closed
  /// and empty.
  bool learn() {
    if (!learner_.gather(queue_, config_.batch * config_.unroll)) return false;
    record_impala(learner_.update(context_.run.steps()), learner_, context_.run);
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
    for (std::size_t rank = 0; rank < seats_.size(); ++rank) {
      const auto name = state_name("actor", rank);
      if (seats_[rank].actor == nullptr) {
        keep_state(context_.resume, name, checkpoint);
      } else {
        save_state(*seats_[rank].actor, name, checkpoint);
      }
    }
  }

  const ImpalaConfig& config_;
  TrainingContext& context_;
  Crew crew_;
  SharedModel model_;
  TrainingQueue queue_;
  UsedExperiences used_;
  std::vector<Seat> seats_;  // by rank
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
