#include "tandem/cluster/impala/impala_cluster.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/cluster/actor_roll.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/cluster/credits.h"
#include "tandem/cluster/impala/impala_player.h"
#include "tandem/cluster/learner_rest.h"
#include "tandem/cluster/publisher.h"
#include "tandem/learn/shared_model.h"
#include "tandem/run/checkpoint_loop.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/fair_mutex.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/systems/impala/impala_report.h"

namespace tandem {
namespace {

constexpr double kPublishSeconds = 0.02;  // actors renew their parameters before each unroll

/// A queue that holds what actors with credit may still send. The credits bound it, not a wait.
std::size_t capacity_of(const ImpalaConfig& config) {
  return static_cast<std::size_t>(config.queue + 2 * config.actors) + 1024;
}

/// Figure 1 (left) of IMPALA, with actors behind messages.
class ImpalaCluster final : private Checkpointed {
 public:
  ImpalaCluster(const ImpalaConfig& config, TrainingContext& context, ClusterLink& link)
      : config_(config),
        context_(context),
        link_(link),
        rows_(static_cast<int>(config.envs) * context.actor.spec.agents),
        model_(context.learner),
        queue_(capacity_of(config), crew_.stop_token()),
        learner_(context, model_),
        publisher_(model_, link),
        roll_(link.self(), static_cast<int>(config.actors), static_cast<int>(config.envs),
              [](const ActorPlayed&, std::int64_t) {}),
        rest_(context, roll_, crew_, learner_mutex_),
        loop_(*this, context.run, crew_) {}

  ~ImpalaCluster() override {
    link_.listen(nullptr);
    link_.mailbox().close();  // no answer comes any more
    crew_.end();
  }
  ImpalaCluster(const ImpalaCluster&) = delete;
  ImpalaCluster& operator=(const ImpalaCluster&) = delete;

  void train() {
    rest_.save_first(*this);
    if (context_.run.done()) return;
    link_.listen([this](const Letter& letter) { return hear(letter); });
    crew_.spawn("publisher", 1,
                [this](int) { publisher_.run(kPublishSeconds, crew_.stop_token()); });
    crew_.spawn("learner", 1, [this](int) { learn(); });
    loop_.run();
  }

 private:
  std::vector<std::byte> hear(const Letter& letter) {
    if (letter.verb == Verb::insert) return take_unrolls(letter);
    if (letter.verb == Verb::garbled) {
      const Lock lock(receiving_);
      receipts_.close(letter.from);
    }
    return roll_.hear(letter);
  }

  void learn() {
    while (!context_.run.done() && learner_.gather(queue_, config_.batch * config_.unroll)) {
      {
        const Lock lock(learner_mutex_);
        const StopOnFailure failing(crew_);
        record_impala(learner_.update(context_.run.steps()), learner_, context_.run);
      }
      used_.give(learner_.batch());
      loop_.look();
    }
  }

  std::vector<std::byte> take_unrolls(const Letter& letter) {
    const auto rank = static_cast<std::int64_t>(letter.from.part) - kFirstActorPart;
    if (rank < 0 || rank >= config_.actors) throw Error("an unroll came from no actor of this run");
    if (letter.from.epoch < link_.self().epoch)
      return MessageWriter(link_.self(), Verb::past).seal();
    const Lock lock(receiving_);
    const auto verdict = receipts_.take(letter);
    if (verdict == Verb::closed) return MessageWriter(link_.self(), verdict).seal();
    StateReader reader(letter.content);
    // The request sends nothing, because the queue's size counts the unrolls already.
    const CreditRequest request{.actor = letter.from.part,
                                .credit = reader.get<std::int64_t>(),
                                .wish = reader.get<std::int64_t>()};
    if (verdict == Verb::done && !reader.at_end()) {
      StateReader unrolls(reader.get_bytes());
      while (!unrolls.at_end()) take_unroll(unrolls, static_cast<int>(rank));
    }
    // Each actor may play one unroll while the queue is full, as on one machine.
    const auto room = config_.queue + config_.actors - static_cast<std::int64_t>(queue_.size());
    credits_.allow(std::max<std::int64_t>(room, 0) * config_.unroll * rows_);
    MessageWriter writer(link_.self(), verdict);
    writer.content().put(credits_.grant(request));
    return std::move(writer).seal();
  }

  void take_unroll(StateReader& reader, int rank) TANDEM_REQUIRES(receiving_) {
    // Nothing may wait in a message's thread, so a sender without credit is refused.
    if (queue_.size() >= capacity_of(config_)) throw Error("an actor sent more than its credit");
    const auto& spec = context_.actor.spec;
    auto experience = used_.take();
    if (experience == nullptr) {
      experience = std::make_unique<Experience>(
          Experience{Rollout(spec, static_cast<int>(config_.unroll), rows_,
                             context_.learner.architecture().state_size())});
    }
    const auto envs = static_cast<int>(config_.envs);
    load_experience(reader, spec, rank * envs, envs, model_.version(), *experience);
    queue_.push(std::move(experience));
  }

  void hold() override { rest_.begin(); }
  void release() override { rest_.end(); }
  [[nodiscard]] bool may_write() const override { return rest_.has_states(); }

  void finish() override {
    rest_.gather();
    link_.listen(nullptr);
    crew_.stop();
    crew_.join();
  }

  void collect(Checkpoint& checkpoint) override {
    save_learner(context_.learner, checkpoint);
    if (rest_.has_states()) roll_.save(context_.resume, checkpoint);
  }

  void meanwhile() override {
    roll_.raise_error();
    link_.set_status({{"steps", context_.run.steps()},
                      {"updates", model_.version()},
                      {"actors", roll_.alive()},
                      {"queue", queue_.size()},
                      {"lag_updates", roll_.lag(model_.version() + 1)}});
  }

  const ImpalaConfig& config_;
  TrainingContext& context_;
  ClusterLink& link_;
  const int rows_;  // of an actor, times agents
  Crew crew_;
  SharedModel model_;
  TrainingQueue queue_;
  UsedExperiences used_;
  FairMutex learner_mutex_;
  ExperienceTrainer learner_;  // the learner's thread uses it alone
  Publisher publisher_;        // the thread of that name uses it alone
  ActorRoll roll_;
  Mutex receiving_;
  Receipts receipts_ TANDEM_GUARDED_BY(receiving_);
  Credits credits_ TANDEM_GUARDED_BY(receiving_);

  // These belong to the main thread.
  LearnerRest rest_;
  CheckpointLoop loop_;
};

}  // namespace

void train_impala_on_cluster(const ImpalaConfig& config, TrainingContext& context,
                             ClusterLink& link) {
  ImpalaCluster(config, context, link).train();
}

}  // namespace tandem
