#include "tandem/systems/apex/apex.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/base/available_memory.h"
#include "tandem/learn/shared_model.h"
#include "tandem/replay/table_state.h"
#include "tandem/run/checkpoint_loop.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/fair_mutex.h"
#include "tandem/sync/mutex.h"
#include "tandem/sync/queue.h"
#include "tandem/systems/apex/apex_actor.h"
#include "tandem/systems/apex/apex_lockstep.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/apex_report.h"
#include "tandem/systems/apex/apex_seat.h"
#include "tandem/systems/apex/replay_budget.h"
#include "tandem/systems/apex/replay_learner.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {
namespace {

/// Steps of an actor between two of its reports.
constexpr std::int64_t kReportSteps = 64;

/// Lets no actor begin a step for as long as it exists.
class ActorsPaused {
 public:
  explicit ActorsPaused(std::atomic<bool>& paused) : paused_(paused) { paused_ = true; }
  ~ActorsPaused() {
    paused_ = false;
    paused_.notify_all();
  }
  ActorsPaused(const ActorsPaused&) = delete;
  ActorsPaused& operator=(const ActorsPaused&) = delete;

 private:
  std::atomic<bool>& paused_;
};

/// Ape-X, as in Figure 1: many actors, a shared replay, one learner.
class Apex final : private Checkpointed {
 public:
  Apex(const ApexConfig& config, const ReplayConfig& replay, TrainingContext& context)
      : config_(config),
        context_(context),
        spec_(context.actor.spec),
        format_(frame_format(spec_, compression_of(replay.compression))),
        model_(context.learner),
        learner_(context.algorithm.replay(), context, model_, context.threads),
        table_(replay, format_, config.batch, context.actor.seed, crew_.stop_token()),
        drawn_(static_cast<std::size_t>(config.prefetch), crew_.stop_token()),
        used_(static_cast<std::size_t>(batches_of(config)), crew_.stop_token()),
        memory_(replay, available_memory_bytes),
        loop_(*this, context.run, crew_) {
    require_memory_for(config, replay, format_);
    for (std::int64_t i = 0; i < batches_of(config); ++i) {
      used_.push(std::make_unique<SampleBatch>(format_, static_cast<std::size_t>(config.batch)));
    }
    const auto make_actor = [this](const ApexActorOptions& options) {
      return std::make_unique<ApexActor>(options, context_.actor,
                                         NetworkCopy(model_, context_.actor.make_network));
    };
    for (int rank = 0; rank < config.actors; ++rank) {
      const auto options = actor_options(config, replay, context.actor, spec_, rank);
      actors_.push_back(std::make_unique<ApexSeat>(options, config.restarts, make_actor));
    }
    if (context.resume != nullptr) load(*context.resume);
    report_.emplace(epsilons_of(config, spec_, context.actor.rule), table_.state().inserted,
                    context.run);
  }

  ~Apex() override { crew_.end(); }  // the threads use all other members
  Apex(const Apex&) = delete;
  Apex& operator=(const Apex&) = delete;

  void train() {
    crew_.spawn("actor", static_cast<int>(config_.actors),
                [this](int rank) { act(static_cast<std::size_t>(rank)); });
    crew_.spawn("sampler", 1, [this](int) { sample(); });
    crew_.spawn("learner", 1, [this](int) { learn(); });
    loop_.run();
  }

 private:
  /// Runs an actor, which fills the replay (Algorithm 1).
  void act(std::size_t rank) {
    auto& seat = *actors_[rank];
    go_on(seat, state_name("actor", rank));
    while (!context_.run.done()) {
      double waited_seconds = 0;
      for (int i = 0; i < kReportSteps; ++i) {
        const Stopwatch watch;
        table_.wait_to_insert();
        waited_seconds += watch.seconds();
        while (paused_) paused_.wait(true);
        const Lock lock(seat);
        const StopOnFailure failing(crew_);
        seat.step();
        seat.send(table_, config_.copies);
      }
      // The run counts the play before a checkpoint can be taken that holds its results.
      const Lock lock(seat);
      const StopOnFailure failing(crew_);
      if (auto played = seat.take_played()) {
        report_->record_played(*std::move(played), waited_seconds);
      }
    }
  }

  /// Restores the actor from the checkpoint, if it had begun by then.
  void go_on(ApexSeat& seat, const std::string& name) {
    if (context_.resume == nullptr) return;
    const Lock lock(seat);
    const StopOnFailure failing(crew_);
    seat.load(*context_.resume, name);
  }

  /// Draws batches for the learner, "in a background thread" (Algorithm 2, line 4).
  void sample() {
    for (;;) {
      auto batch = *used_.pop();
      table_.sample(*batch);
      drawn_.push(std::move(batch));
    }
  }

  /// Runs the learner (Algorithm 2).
  void learn() {
    while (!context_.run.done()) {
      // The sampler has drawn the batch already (line 4).
      const Stopwatch watch;
      auto batch = *drawn_.pop();
      const double waited_seconds = watch.seconds();
      {
        const Lock lock(learner_mutex_);
        const StopOnFailure failing(crew_);
        // Learns from the batch (lines 5 to 7), and gives the replay its new priorities (line 8).
        UpdateReport learned = learner_.update(*batch, context_.run.steps());
        table_.update(batch->keys, batch->priorities);
        // Removes transitions beyond the capacity (line 9).
        if (learner_.updates() % config_.trim_updates == 0) table_.trim();
        learned.seconds.waiting = waited_seconds;
        const TableState state = table_.state();
        // A checkpoint in the making holds removed transitions, too, until it is written.
        if (!loop_.writes()) memory_.look(state);
        report_->record_update(learned, *batch, state, table_.priorities(ApexReport::kPriorities),
                               drawn_.size());
      }
      used_.push(std::move(batch));
    }
  }

  // The compiler's analysis cannot follow these locks: the main thread holds one for each actor,
  // from hold() to release(). After finish() no other thread remains, and nothing needs a lock.

  /// Learner and actors rest only while the replay's transitions are listed; they run on while the
  /// transitions are written. While the seats are taken one after another, no actor begins a step:
  /// otherwise the first would rest for the steps of all the others in turn.
  void hold() override TANDEM_NO_THREAD_SAFETY_ANALYSIS {
    rest_.lap();
    const ActorsPaused paused(paused_);
    std::vector<std::unique_lock<ApexSeat>> actors;
    for (const auto& seat : actors_) actors.emplace_back(*seat);
    std::unique_lock learner(learner_mutex_);  // it works on while an actor's step is slow
    count_steps();
    learner_rests_ = std::move(learner);
    actors_rest_ = std::move(actors);
  }

  void release() override TANDEM_NO_THREAD_SAFETY_ANALYSIS {
    report_->add_rest(rest_.seconds());
    actors_rest_.clear();
    learner_rests_.unlock();
  }

  void finish() override {
    crew_.stop();
    crew_.join();
    count_steps();
  }

  /// Adds the actors' steps since their last reports, while no actor plays.
  void count_steps() TANDEM_NO_THREAD_SAFETY_ANALYSIS {
    for (const auto& seat : actors_) {
      if (auto played = seat->take_played()) report_->record_played(*std::move(played), 0);
    }
  }

  void collect(Checkpoint& checkpoint) override TANDEM_NO_THREAD_SAFETY_ANALYSIS {
    save_learner(context_.learner, checkpoint);
    learner_.save(checkpoint);
    for (std::size_t rank = 0; rank < actors_.size(); ++rank) {
      actors_[rank]->save(context_.resume, state_name("actor", rank), checkpoint);
    }
    if (config_.keep_replay) checkpoint.pieces[kReplayPieces] = pieces_of(table_.snapshot());
  }

  /// If the checkpoint has no replay, learning pauses until enough transitions are there again
  /// (appendix F).
  void load(const Checkpoint& checkpoint) { load_replay(checkpoint, table_); }

  const ApexConfig& config_;
  TrainingContext& context_;
  const EnvSpec& spec_;
  const FrameFormat format_;
  Crew crew_;
  SharedModel model_;
  FairMutex learner_mutex_;  // locked after the seats
  ReplayLearner learner_ TANDEM_GUARDED_BY(learner_mutex_);
  Table table_;
  Queue<std::unique_ptr<SampleBatch>> drawn_;
  Queue<std::unique_ptr<SampleBatch>> used_;
  std::vector<std::unique_ptr<ApexSeat>> actors_;  // by rank
  std::atomic<bool> paused_ = false;               // while hold() takes the seats
  MemoryWatch memory_;                             // only the learner uses it
  std::optional<ApexReport> report_;               // made after the replay is restored

  // These belong to the main thread.
  CheckpointLoop loop_;
  Stopwatch rest_;  // measures how long actors rest for a checkpoint
  std::unique_lock<FairMutex> learner_rests_;
  std::vector<std::unique_lock<ApexSeat>> actors_rest_;
};

}  // namespace

void train_apex(const ApexConfig& config, const ReplayConfig& replay, TrainingContext& context) {
  if (config.lockstep) return train_apex_in_lockstep(config, replay, context);
  Apex(config, replay, context).train();
}

}  // namespace tandem
