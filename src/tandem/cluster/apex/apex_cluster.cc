#include "tandem/cluster/apex/apex_cluster.h"

#include <memory>
#include <optional>
#include <utility>

#include "tandem/base/available_memory.h"
#include "tandem/cluster/actor_roll.h"
#include "tandem/cluster/apex/apex_cluster_lockstep.h"
#include "tandem/cluster/apex/shard_pieces.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/cluster/learner_rest.h"
#include "tandem/cluster/publisher.h"
#include "tandem/cluster/remote_replay.h"
#include "tandem/learn/shared_model.h"
#include "tandem/run/checkpoint_loop.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/fair_mutex.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/apex_report.h"
#include "tandem/systems/apex/replay_budget.h"
#include "tandem/systems/apex/replay_learner.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {
namespace {

/// Figure 1 on a cluster: the actors and the replay of the figure lie behind messages.
class ApexCluster final : private Checkpointed {
 public:
  ApexCluster(const ApexConfig& config, const ReplayConfig& replay, TrainingContext& context,
              ClusterLink& link)
      : config_(config),
        context_(context),
        link_(link),
        model_(context.learner),
        learner_(context.algorithm.replay(), context, model_, context.threads),
        replay_(remote_options(config, replay, context.actor), link, crew_.stop_token()),
        publisher_(model_, link),
        roll_(link.self(), static_cast<int>(config.actors), static_cast<int>(config.envs),
              [this](ActorPlayed played, std::int64_t) { take_played(std::move(played)); }),
        memory_(replay, available_memory_bytes),
        rest_(context, roll_, crew_, learner_mutex_),
        loop_(*this, context.run, crew_) {
    std::int64_t inserted = 0;
    if (context.resume != nullptr) {
      const auto& meta = context.resume->meta;
      if (meta.contains(kClusterPart)) replay_.restore(meta.at(kClusterPart));
      inserted = replay_.state().inserted;
    }
    report_.emplace(epsilons_of(config, context.actor.spec, context.actor.rule), inserted,
                    context.run);
  }

  ~ApexCluster() override {
    link_.listen(nullptr);
    link_.mailbox().close();  // no answer comes any more
    crew_.end();
  }
  ApexCluster(const ApexCluster&) = delete;
  ApexCluster& operator=(const ApexCluster&) = delete;

  void train() {
    rest_.save_first(*this);
    if (context_.run.done() || !fill_shards()) return;
    link_.listen([this](const Letter& letter) { return roll_.hear(letter); });
    crew_.spawn("sampler", 1, [this](int) { replay_.run(); });
    crew_.spawn("publisher", 1,
                [this](int) { publisher_.run(kApexPublishSeconds, crew_.stop_token()); });
    crew_.spawn("learner", 1, [this](int) { learn(); });
    loop_.run();
  }

 private:
  /// Gives the shards of a resumed run their replay. Returns false if the run is stopped meanwhile:
  /// a checkpoint would then lack some of the replay. None is needed, because the run has heard of
  /// no actor yet.
  bool fill_shards() {
    return context_.resume == nullptr ||
           restore_shards(link_, *context_.resume, [this] { return context_.run.done(); });
  }

  /// Runs the learner (Algorithm 2); the shards draw its batches and keep its priorities.
  void learn() {
    while (!context_.run.done()) {
      const Stopwatch watch;
      auto batch = replay_.next();
      const double waited_seconds = watch.seconds();
      const auto state = replay_.state();
      // A checkpoint in the making holds removed transitions, too, until it is written.
      if (!loop_.writes()) memory_.look(state);
      {
        // A checkpoint has an update and its report, or neither.
        const Lock lock(learner_mutex_);
        const StopOnFailure failing(crew_);
        auto learned = learner_.update(batch->samples, context_.run.steps());
        learned.seconds.waiting = waited_seconds;
        report_->record_update(learned, batch->samples, state, replay_.priorities(),
                               replay_.ahead());
        if (learner_.updates() % config_.trim_updates == 0) replay_.trim();
      }
      replay_.update(std::move(batch));
      loop_.look();
    }
  }

  void take_played(ActorPlayed played) { report_->record_played(std::move(played), 0); }

  /// The learner alone rests; actors play on, and shards give their pieces while they serve them.
  void hold() override {
    rest_.begin();
    rested_.lap();
  }

  void release() override {
    report_->add_rest(rested_.seconds());
    rest_.end();
  }

  [[nodiscard]] bool may_write() const override { return rest_.has_states(); }

  /// The mailbox stays open, because the last checkpoint needs the shards.
  void finish() override {
    rest_.gather();
    link_.listen(nullptr);
    crew_.stop();
    crew_.join();
  }

  void collect(Checkpoint& checkpoint) override TANDEM_NO_THREAD_SAFETY_ANALYSIS {
    save_learner(context_.learner, checkpoint);
    learner_.save(checkpoint);
    if (!rest_.has_states()) return;
    checkpoint.meta[kClusterPart] = replay_.save();
    roll_.save(context_.resume, checkpoint);
    if (!config_.keep_replay) return;
    for (int shard = 0; shard < link_.shards(); ++shard) {
      checkpoint.pieces[shard_pieces_name(shard)] = pieces_of_shard(link_, shard);
    }
  }

  void meanwhile() override {
    roll_.raise_error();
    const auto state = replay_.state();
    link_.set_status({{"steps", context_.run.steps()},
                      {"updates", model_.version()},
                      {"actors", roll_.alive()},
                      {"transitions", state.transitions},
                      {"lag_updates", roll_.lag(model_.version() + 1)}});
  }

  const ApexConfig& config_;
  TrainingContext& context_;
  ClusterLink& link_;
  Crew crew_;
  SharedModel model_;
  FairMutex learner_mutex_;
  ReplayLearner learner_ TANDEM_GUARDED_BY(learner_mutex_);
  RemoteReplay replay_;
  Publisher publisher_;  // the thread of that name uses it alone
  ActorRoll roll_;
  std::optional<ApexReport> report_;
  MemoryWatch memory_;  // the shards lie on the learner's machine

  // These belong to the main thread.
  LearnerRest rest_;
  CheckpointLoop loop_;
  Stopwatch rested_;  // measures how long the learner rests for a checkpoint
};

}  // namespace

RemoteReplayOptions remote_options(const ApexConfig& config, const ReplayConfig& replay,
                                   const ActorContext& actor) {
  return {.replay = replay,
          .format = frame_format(actor.spec, compression_of(replay.compression)),
          .num_actions = actor.spec.num_actions,
          .batch = config.batch,
          .batches = batches_of(config),
          .seed = actor.seed};
}

void train_apex_on_cluster(const ApexConfig& config, const ReplayConfig& replay,
                           TrainingContext& context, ClusterLink& link) {
  if (config.lockstep) return train_apex_cluster_in_lockstep(config, replay, context, link);
  // The shards of a lost learner may fill the memory already.
  if (link.self().epoch == 1) {
    require_memory_for(config, replay,
                       frame_format(context.actor.spec, compression_of(replay.compression)));
  }
  ApexCluster(config, replay, context, link).train();
}

}  // namespace tandem
