#include "tandem/systems/apex/apex_lockstep.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tandem/acting/network_copy.h"
#include "tandem/base/available_memory.h"
#include "tandem/learn/published_parameters.h"
#include "tandem/learn/shared_model.h"
#include "tandem/replay/table_state.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/apex/apex.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/apex_report.h"
#include "tandem/systems/apex/apex_seat.h"
#include "tandem/systems/apex/lockstep_state.h"
#include "tandem/systems/apex/replay_budget.h"
#include "tandem/systems/apex/replay_learner.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {
namespace {

/// Ape-X in turns, all in the thread of train() and in workers that it waits for.
class Lockstep {
 public:
  Lockstep(const ApexConfig& config, const ReplayConfig& replay, TrainingContext& context)
      : config_(config),
        context_(context),
        model_(context.learner),
        state_(context),
        acting_(state_.acting()),
        learner_(context.algorithm.replay(), context, model_, LockstepState::kShares),
        table_(replay, frame_format(context.actor.spec, compression_of(replay.compression)),
               config.batch, context.actor.seed, {}),
        batch_(table_.format(), static_cast<std::size_t>(config.batch)),
        workers_(std::min(context.threads, static_cast<int>(config.actors))),
        memory_(replay, available_memory_bytes),
        refresh_steps_(refresh_steps(config, context.actor.spec)) {
    require_memory_for(config, replay, table_.format());
    const auto make_actor = [this](const ApexActorOptions& options) {
      return std::make_unique<ApexActor>(options, context_.actor,
                                         NetworkCopy(acting_, context_.actor.make_network));
    };
    for (int rank = 0; rank < config.actors; ++rank) {
      const auto options = actor_options(config, replay, context.actor, context.actor.spec, rank);
      actors_.push_back(std::make_unique<ApexSeat>(options, config.restarts, make_actor));
    }
    if (context.resume != nullptr) load(*context.resume);
    report_.emplace(epsilons_of(config, context.actor.spec, context.actor.rule),
                    table_.state().inserted, context.run);
  }

  void train() {
    learn();  // ends the round in which a signal stopped the run
    while (!context_.run.done()) {
      play();
      learn();
      if (context_.run.checkpoint_due()) save();
    }
    save();
  }

 private:
  /// Every actor takes one step (Algorithm 1).
  void play() {
    if (state_.rounds() % refresh_steps_ == 0) {
      state_.renew_acting(context_.learner.parameters());
      acting_.stage(state_.acting());
      acting_.publish();
    }
    workers_.parallel_for(static_cast<int>(actors_.size()), [this](int rank) {
      auto& seat = *actors_[static_cast<std::size_t>(rank)];
      const Lock lock(seat);
      seat.step();
    });
    for (const auto& seat : actors_) {
      const Lock lock(*seat);
      seat->send(table_, config_.copies);
      if (auto played = seat->take_played()) report_->record_played(*std::move(played), 0);
    }
    state_.end_round();
  }

  /// The learner makes the updates that are due (Algorithm 2).
  void learn() {
    while (!context_.run.done() && table_.sample(batch_, std::chrono::steady_clock::now())) {
      const UpdateReport learned = learner_.update(batch_, context_.run.steps());
      table_.update(batch_.keys, batch_.priorities);
      if (learner_.updates() % config_.trim_updates == 0) table_.trim();
      const TableState state = table_.state();
      memory_.look(state);
      report_->record_update(learned, batch_, state, table_.priorities(ApexReport::kPriorities), 0);
    }
  }

  void save() {
    Checkpoint checkpoint;
    save_learner(context_.learner, checkpoint);
    learner_.save(checkpoint);
    state_.save(checkpoint);
    for (std::size_t rank = 0; rank < actors_.size(); ++rank) {
      auto& seat = *actors_[rank];
      const Lock lock(seat);
      seat.save(context_.resume, state_name("actor", rank), checkpoint);
    }
    if (config_.keep_replay) checkpoint.pieces[kReplayPieces] = pieces_of(table_.snapshot());
    context_.run.save(checkpoint);
  }

  void load(const Checkpoint& checkpoint) {
    load_replay(checkpoint, table_);
    for (std::size_t rank = 0; rank < actors_.size(); ++rank) {
      auto& seat = *actors_[rank];
      const Lock lock(seat);
      seat.load(checkpoint, state_name("actor", rank));
    }
  }

  const ApexConfig& config_;
  TrainingContext& context_;
  SharedModel model_;
  LockstepState state_;
  PublishedParameters acting_;  // the source of the actors' copies
  ReplayLearner learner_;
  Table table_;
  SampleBatch batch_;
  std::vector<std::unique_ptr<ApexSeat>> actors_;  // by rank
  Workers workers_;
  MemoryWatch memory_;
  std::optional<ApexReport> report_;  // made after the replay is restored
  const std::int64_t refresh_steps_;  // rounds between two copies of the parameters
};

}  // namespace

void train_apex_in_lockstep(const ApexConfig& config, const ReplayConfig& replay,
                            TrainingContext& context) {
  Lockstep(config, replay, context).train();
}

}  // namespace tandem
