#include "tandem/cluster/apex/apex_cluster_lockstep.h"

#include <chrono>
#include <condition_variable>
#include <optional>
#include <utility>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/cluster/actor_roll.h"
#include "tandem/cluster/apex/shard_pieces.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/cluster/draw.h"
#include "tandem/cluster/publisher.h"
#include "tandem/cluster/rhythm.h"
#include "tandem/learn/shared_model.h"
#include "tandem/replay/rate_limiter.h"
#include "tandem/replay/table.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"
#include "tandem/systems/apex/apex_actor.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/apex_report.h"
#include "tandem/systems/apex/lockstep_state.h"
#include "tandem/systems/apex/replay_learner.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {
namespace {

/// The longest that a round may take.
constexpr std::chrono::seconds kPatience(60);

/// The learner of such a cluster. All but the actor's reports comes in the thread of train().
class ClusterLockstep {
 public:
  ClusterLockstep(const ApexConfig& config, const ReplayConfig& replay, TrainingContext& context,
                  ClusterLink& link)
      : config_(config),
        replay_(replay),
        context_(context),
        link_(link),
        state_(context),
        model_(context.learner),
        learner_(context.algorithm.replay(), context, model_, LockstepState::kShares),
        limiter_({.min_fill = replay.min_fill,
                  .samples_per_insert = replay.samples_per_insert,
                  .slack = replay.slack}),
        format_(frame_format(context.actor.spec, compression_of(replay.compression))),
        batch_(format_, static_cast<std::size_t>(config.batch)),
        publisher_(model_, link, "actor:0"),
        roll_(link.self(), 1, static_cast<int>(config.envs),
              [this](ActorPlayed played, std::int64_t rounds) { hear(std::move(played), rounds); }),
        refresh_steps_(refresh_steps(config, context.actor.spec)) {
    limiter_.require_slack_for(config.batch);
    report_.emplace(epsilons_of(config, context.actor.spec, context.actor.rule), 0, context.run);
  }

  ~ClusterLockstep() {
    link_.listen(nullptr);
    link_.mailbox().close();
  }
  ClusterLockstep(const ClusterLockstep&) = delete;
  ClusterLockstep& operator=(const ClusterLockstep&) = delete;

  void train() {
    if (context_.resume != nullptr && !resume()) return;
    link_.listen([this](const Letter& letter) { return roll_.hear(letter); });
    publisher_.publish(state_.acting());
    learn();
    while (!context_.run.done()) {
      play();
      learn();
      if (context_.run.checkpoint_due()) save();
    }
    save();
  }

 private:
  /// Gives the shard of a resumed run its replay. Returns false if the run is done before. Nothing
  /// is new then, so TrainingRun::save() writes no checkpoint; but the evaluator gets the
  /// parameters of a last evaluation that was cut short.
  bool resume() {
    const auto done = [this] { return context_.run.done(); };
    if (!done()) return restore_shards(link_, *context_.resume, done);
    auto same = context_.resume->without_pieces();
    context_.run.save(same);
    return false;
  }

  void play() {
    if (state_.rounds() % refresh_steps_ == 0) {
      state_.renew_acting(context_.learner.parameters());
      publisher_.publish(state_.acting());
    }
    played_rounds_ += 1;
    publisher_.order(played_rounds_, 0);
    report_->record_played(await_round(), 0);
    state_.end_round();
  }

  void learn() {
    while (true) {
      auto drawn = order(0);  // the newest counts
      if (context_.run.done() ||
          !limiter_.may_sample(drawn.state.table.transitions, config_.batch)) {
        return show(drawn.state.table);
      }
      drawn = order(static_cast<std::uint32_t>(config_.batch));
      if (drawn.samples != config_.batch) throw Error("the shard was lost, so lockstep ends");
      read_samples(drawn, format_, context_.actor.spec.num_actions, batch_, 0);
      batch_.read(drawn.added);
      batch_.weigh(replay_.beta);
      const UpdateReport learned = learner_.update(batch_, context_.run.steps());
      next_ = {.incarnation = drawn.state.incarnation,
               .keys = batch_.keys,
               .priorities = batch_.priorities,
               .trims = learner_.updates() % config_.trim_updates == 0};
      report_->record_update(learned, batch_, drawn.state.table, drawn.shown, 0);
    }
  }

  void show(const TableState& state) {
    link_.set_status({{"steps", context_.run.steps()},
                      {"updates", model_.version()},
                      {"actors", roll_.alive()},
                      {"transitions", state.transitions}});
  }

  /// Gives the shard the priorities of the last batch, and draws the next.
  DrawAnswer order(std::uint32_t samples) {
    auto next = std::exchange(next_, {});
    next.samples = samples;
    next.shown = ApexReport::kPriorities;
    MessageWriter writer(link_.self(), Verb::draw, link_.next_sequence(0));
    next.save(writer.content());
    // A stop waits for the round's end: the shard may have drawn already.
    answer_ = link_.ask("shard:0", std::move(writer).seal(), [] { return false; });
    if (!answer_) throw Error("the shard was lost, so lockstep ends; --resume goes on");
    const auto letter = open_message(*answer_);
    if (letter.verb != Verb::done) throw Error("the shard refused an order, so lockstep ends");
    StateReader reader(letter.content);
    auto drawn = DrawAnswer::load(reader);
    if (shard_ != 0 && drawn.state.incarnation != shard_) {
      throw Error("the shard was lost, so lockstep ends; --resume goes on");
    }
    shard_ = drawn.state.incarnation;
    limiter_.restore(drawn.state.table.inserted, drawn.state.table.sampled);
    return drawn;
  }

  void hear(ActorPlayed played, std::int64_t rounds) {
    {
      const Lock lock(mutex_);
      if (rounds > heard_rounds_) heard_ = std::move(played);
      heard_rounds_ = std::max(heard_rounds_, rounds);
    }
    heard_of_.notify_all();
  }

  ActorPlayed await_round() {
    WaitLock lock(mutex_);
    // Before the first round the actor's environments begin.
    const auto most = played_rounds_ == 1 ? kStartPatience : kPatience;
    const bool heard = heard_of_.wait_for(
        lock, most, [&]() TANDEM_REQUIRES(mutex_) { return heard_rounds_ >= played_rounds_; });
    if (!heard) throw Error("the actor was lost, so lockstep ends; --resume goes on");
    return std::exchange(heard_, {});
  }

  void save() {
    roll_.want_states();
    publisher_.order(played_rounds_, roll_.states_wanted());
    if (!roll_.await_state_of(0, played_rounds_ == 0 ? kStartPatience : kPatience)) {
      throw Error("the actor was lost, so lockstep ends; --resume goes on");
    }
    Checkpoint checkpoint;
    save_learner(context_.learner, checkpoint);
    learner_.save(checkpoint);
    state_.save(checkpoint);
    roll_.save(context_.resume, checkpoint);
    if (config_.keep_replay) {
      checkpoint.pieces[shard_pieces_name(0)] = pieces_of_shard(link_, 0);
    }
    context_.run.save(checkpoint);
  }

  const ApexConfig& config_;
  const ReplayConfig& replay_;
  TrainingContext& context_;
  ClusterLink& link_;
  LockstepState state_;
  SharedModel model_;
  ReplayLearner learner_;
  RateLimiter limiter_;
  const FrameFormat format_;
  SampleBatch batch_;
  Publisher publisher_;
  ActorRoll roll_;
  std::optional<ApexReport> report_;
  const std::int64_t refresh_steps_;
  std::int64_t played_rounds_ = 0;  // that this learner has ordered
  std::uint64_t shard_ = 0;         // its incarnation; 0: not known yet
  DrawOrder next_;
  std::optional<std::vector<std::byte>> answer_;  // DrawAnswer refers to it

  Mutex mutex_;
  std::condition_variable_any heard_of_;
  std::int64_t heard_rounds_ TANDEM_GUARDED_BY(mutex_) = 0;
  ActorPlayed heard_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace

void train_apex_cluster_in_lockstep(const ApexConfig& config, const ReplayConfig& replay,
                                    TrainingContext& context, ClusterLink& link) {
  ClusterLockstep(config, replay, context, link).train();
}

}  // namespace tandem
