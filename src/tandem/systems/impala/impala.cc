#include "tandem/systems/impala/impala.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/collector.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/team.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/common/parts.h"

namespace tandem {
namespace {

/// Section 3: plays by a copy of the parameters. The learner goes forward itself, so nothing is
/// recorded here.
struct Actor {
  Actor(const ImpalaConfig& config, const Parts& parts, const SharedModel& model, int rank)
      : copy(model, parts.make_network),
        network(copy.network()),
        collector(VecEnv(parts.make_env, {.first = rank * static_cast<int>(config.envs),
                                          .count = static_cast<int>(config.envs),
                                          .seed = parts.seed}),
                  network, nullptr, parts.algorithm, static_cast<int>(config.unroll)) {}

  NetworkCopy copy;
  ForwardActor network;
  Collector collector;
  double waited_seconds = 0;  // for the queue, the last time
};

/// Figure 1, left: one learner.
class Impala {
 public:
  Impala(const ImpalaConfig& config, Parts& parts)
      : config_(config),
        parts_(parts),
        model_(parts.learner),
        queue_(static_cast<std::size_t>(config.queue), crew_.stop_token()),
        actors_(static_cast<std::size_t>(config.actors)),
        learner_(parts, model_) {}

  ~Impala() { crew_.end(); }  // its threads use all the rest
  Impala(const Impala&) = delete;
  Impala& operator=(const Impala&) = delete;

  void train() {
    try {
      while (!parts_.run.done()) {
        learner_team_.resize(1);
        actor_team_.resize(static_cast<int>(config_.actors));
        wait_until_due();
        rest();
        save();
      }
    } catch (const Stopped&) {
      // join() throws the error that stopped the crew.
    }
    crew_.stop();
    crew_.join();
  }

 private:
  /// An actor: one unroll, by the parameters of its beginning.
  void play(std::size_t rank) {
    auto& actor = actors_[rank];
    if (actor == nullptr) {
      actor = std::make_unique<Actor>(config_, parts_, model_, static_cast<int>(rank));
      start(*actor, rank);
    }
    actor->copy.synchronise();
    const Rollout& played = actor->collector.collect(parts_.run.steps());
    auto used = used_.take();
    if (used == nullptr) used = std::make_unique<Experience>(Experience{played});
    actor->collector.exchange(used->rollout);
    used->episodes = actor->collector.take_episodes();
    used->seconds = actor->collector.take_seconds();
    used->seconds.waiting += actor->waited_seconds;
    used->version = actor->copy.version();
    const Stopwatch watch;
    queue_.push(std::move(used));
    actor->waited_seconds = watch.seconds();
  }

  void start(Actor& actor, std::size_t rank) {
    // An actor may not have begun by the checkpoint.
    const auto name = state_name("actor", rank);
    if (parts_.resume == nullptr || !parts_.resume->blobs.contains(name)) {
      return actor.collector.start();
    }
    StateReader reader(parts_.resume->blob(name));
    actor.collector.load(reader);
  }

  /// False when the queue is closed and empty.
  bool learn() {
    if (!learner_.gather(queue_, config_.batch * config_.unroll)) return false;
    UpdateReport report = learner_.update(parts_.run.steps());
    const TimeShares learning = report.seconds;
    TimeShares playing;
    for (const auto& experience : learner_.batch()) playing += experience->seconds;
    report.seconds += playing;
    const auto experiences = static_cast<double>(learner_.batch().size());
    const std::array measures = {
        Measure{"impala/training_batch", static_cast<double>(report.steps), 1},
        Measure{"impala/training_queue", learner_.waiting(), experiences},
        Measure{"impala/policy_lag_updates", static_cast<double>(learner_.lag()), experiences},
        Measure{"impala/actors_waiting", playing.waiting, playing.total()},
        Measure{"impala/learner_waiting", learning.waiting, learning.total()},
    };
    report.measures = measures;
    parts_.run.record(report);
    used_.give(learner_.batch());
    if (due()) {
      const std::lock_guard lock(due_mutex_);
      due_changed_.notify_all();
    }
    return true;
  }

  /// The run is done, or a checkpoint is due.
  [[nodiscard]] bool due() const { return parts_.run.done() || parts_.run.checkpoint_due(); }

  void wait_until_due() {
    constexpr std::chrono::milliseconds kPoll(100);  // a stop may be asked for between two updates
    std::unique_lock lock(due_mutex_);
    while (!due()) {
      due_changed_.wait_for(lock, crew_.stop_token(), kPoll, [&] { return due(); });
      if (crew_.stop_token().stop_requested()) throw Stopped();
    }
  }

  /// Everything that was played is learned from, and nothing moves any more.
  void rest() {
    actor_team_.rest();
    queue_.close();
    learner_team_.rest();
    while (learn()) continue;
    queue_.open();
  }

  void save() {
    Checkpoint checkpoint;
    save_learner(parts_.learner, checkpoint);
    for (std::size_t rank = 0; rank < actors_.size(); ++rank) {
      const auto name = state_name("actor", rank);
      if (actors_[rank] != nullptr) {
        StateWriter writer;
        actors_[rank]->collector.save(writer);
        checkpoint.add_blob(name, writer.bytes());
      } else if (parts_.resume != nullptr && parts_.resume->blobs.contains(name)) {
        const auto state = parts_.resume->blob(name);  // it has not begun again
        checkpoint.add_blob(name, {state.begin(), state.end()});
      }
    }
    parts_.run.save(checkpoint);
  }

  const ImpalaConfig& config_;
  Parts& parts_;
  Crew crew_;
  SharedModel model_;
  TrainingQueue queue_;
  UsedExperiences used_;
  std::vector<std::unique_ptr<Actor>> actors_;  // by rank; null before its first unroll
  ExperienceTrainer learner_;
  Team actor_team_{crew_, "actor",
                   [this](int rank, bool) { play(static_cast<std::size_t>(rank)); }};
  Team learner_team_{crew_, "learner", [this](int, bool) { learn(); }};
  std::mutex due_mutex_;
  std::condition_variable_any due_changed_;
};

}  // namespace

void train_impala(const ImpalaConfig& config, Parts& parts) { Impala(config, parts).train(); }

}  // namespace tandem
