#include "tandem/systems/apex.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/sync/crew.h"
#include "tandem/sync/queue.h"
#include "tandem/systems/apex_actor.h"
#include "tandem/systems/dqn_learner.h"
#include "tandem/systems/parts.h"

namespace tandem {
namespace {

/// Steps of an actor between two of its reports.
constexpr std::int64_t kReportSteps = 64;

ApexActorOptions actor_options(const ApexConfig& config, const ReplayConfig& replay,
                               const Parts& parts, const EnvSpec& spec, int rank) {
  return {.first_env = rank * static_cast<int>(config.envs),
          .envs = static_cast<int>(config.envs),
          .refresh_steps = std::max<std::int64_t>(1, config.refresh_frames / spec.frames_per_step),
          .format = frame_format(spec, compression_of(replay.compression)),
          .transitions = {.n = config.n,
                          .gamma = parts.algorithm.gamma(),
                          .transitions = static_cast<std::size_t>(replay.segment)}};
}

/// Figure 1.
class Apex {
 public:
  Apex(const ApexConfig& config, const DqnConfig& dqn, const ReplayConfig& replay, Parts& parts)
      : config_(config),
        parts_(parts),
        spec_(parts.make_env(0)->spec()),
        model_(parts.learner),
        learner_(dqn, parts, model_),
        table_(replay, frame_format(spec_, compression_of(replay.compression)), config.batch,
               parts.seed, crew_.stop_token()),
        drawn_(static_cast<std::size_t>(config.prefetch), crew_.stop_token()),
        used_(static_cast<std::size_t>(config.prefetch) + 2, crew_.stop_token()) {
    for (int rank = 0; rank < config.actors; ++rank) {
      actors_.push_back(std::make_unique<Seat>());
      actors_.back()->options = actor_options(config, replay, parts, spec_, rank);
    }
    // One more is at the learner, another is being drawn.
    for (std::int64_t i = 0; i < config.prefetch + 2; ++i) {
      used_.push(
          std::make_unique<SampleBatch>(table_.format(), static_cast<std::size_t>(config.batch)));
    }
  }

  ~Apex() { crew_.end(); }  // its threads use all the rest
  Apex(const Apex&) = delete;
  Apex& operator=(const Apex&) = delete;

  void train() {
    crew_.spawn("actor", static_cast<int>(config_.actors), [this](int rank) { play(rank); });
    crew_.spawn("sampler", 1, [this](int) { draw(); });
    crew_.spawn("learner", 1, [this](int) { learn(); });
    while (wait_until_due()) save();
    crew_.stop();
    crew_.join();
    save();
  }

 private:
  /// An actor's place. Its lock is held for each step, so that it can be saved between two.
  struct Seat {
    ApexActorOptions options;
    std::mutex mutex;
    std::unique_ptr<ApexActor> actor;  // null before it has begun
  };

  /// Algorithm 1.
  void play(int rank) {
    auto& seat = *actors_[static_cast<std::size_t>(rank)];
    start(seat, static_cast<std::size_t>(rank));
    std::vector<std::unique_ptr<Segment>> full;
    double waited_seconds = 0;
    while (!parts_.run.done()) {
      for (std::int64_t step = 0; step < kReportSteps; ++step) {
        {
          const std::lock_guard lock(seat.mutex);
          seat.actor->step(full);
        }
        const Stopwatch watch;
        for (auto& segment : full) table_.insert(std::move(segment));
        full.clear();
        waited_seconds += watch.seconds();
        if (crew_.stop_token().stop_requested()) throw Stopped();
      }
      report(*seat.actor, std::exchange(waited_seconds, 0));
    }
  }

  void start(Seat& seat, std::size_t rank) {
    const std::lock_guard lock(seat.mutex);
    seat.actor = std::make_unique<ApexActor>(seat.options, parts_, model_);
    const auto name = state_name("actor", rank);
    // An actor may not have begun by the checkpoint.
    if (parts_.resume == nullptr || !parts_.resume->blobs.contains(name)) {
      return seat.actor->start();
    }
    StateReader reader(parts_.resume->blob(name));
    seat.actor->load(reader);
  }

  void report(ApexActor& actor, double waited_seconds) {
    const auto episodes = actor.take_episodes();
    UpdateReport report{.steps = kReportSteps * actor.envs(), .episodes = episodes, .updates = 0};
    report.seconds = actor.take_seconds();
    report.seconds.waiting += waited_seconds;
    parts_.run.record(report);
  }

  /// Algorithm 2, line 4, "in a background thread".
  void draw() {
    for (;;) {
      auto batch = used_.pop();
      table_.sample(**batch);
      drawn_.push(*std::move(batch));
    }
  }

  /// Algorithm 2.
  void learn() {
    for (;;) {
      const Stopwatch watch;
      auto batch = *drawn_.pop();
      const double waited_seconds = watch.seconds();
      UpdateReport report;
      {
        const std::lock_guard lock(learner_mutex_);
        report = learner_.update(*batch, parts_.run.steps());
      }
      table_.update(batch->keys, batch->priorities);
      if (learner_.updates() % config_.trim_updates == 0) table_.trim();
      report.seconds.waiting = waited_seconds;
      record(report, *batch);
      used_.push(std::move(batch));
    }
  }

  void record(UpdateReport& report, const SampleBatch& batch) {
    const auto state = table_.state();
    const auto samples = static_cast<double>(batch.size);
    const double ages = std::accumulate(batch.ages.begin(), batch.ages.end(), 0.0);
    const double priorities =
        std::accumulate(batch.priorities.begin(), batch.priorities.end(), 0.0);
    const std::array measures = {
        Measure{"replay/transitions", static_cast<double>(state.transitions), 1},
        Measure{"replay/bytes_per_transition", state.bytes_per_transition(), 1},
        Measure{"replay/samples_per_insert",
                static_cast<double>(state.sampled) / static_cast<double>(state.inserted), 1},
        Measure{"replay/age_transitions", ages, samples},
        Measure{"replay/priority", priorities, samples},
        Measure{"apex/batches_drawn_ahead", static_cast<double>(drawn_.size()), 1},
        Measure{"apex/learner_waiting", report.seconds.waiting, report.seconds.total()},
    };
    report.measures = measures;
    parts_.run.record(report);
  }

  /// False when the run is done or the crew has stopped; true when a checkpoint is due.
  bool wait_until_due() {
    constexpr std::chrono::milliseconds kPoll(50);
    while (!parts_.run.done() && !crew_.stop_token().stop_requested()) {
      if (parts_.run.checkpoint_due()) return true;
      std::this_thread::sleep_for(kPoll);
    }
    return false;
  }

  /// The learner and each actor between two steps of theirs. The replay is not kept: resuming fills
  /// it anew before learning goes on, as appendix F has it ("Failure Tolerance").
  void save() {
    Checkpoint checkpoint;
    {
      const std::lock_guard lock(learner_mutex_);
      save_learner(parts_.learner, checkpoint);
      learner_.save(checkpoint);
    }
    for (std::size_t rank = 0; rank < actors_.size(); ++rank) {
      auto& seat = *actors_[rank];
      const std::lock_guard lock(seat.mutex);
      if (seat.actor == nullptr) continue;
      StateWriter writer;
      seat.actor->save(writer);
      checkpoint.add_blob(state_name("actor", rank), writer.bytes());
    }
    parts_.run.save(checkpoint);
  }

  const ApexConfig& config_;
  Parts& parts_;
  const EnvSpec spec_;
  Crew crew_;
  SharedModel model_;
  std::mutex learner_mutex_;
  DqnLearner learner_;  // guarded by learner_mutex_
  Table table_;
  Queue<std::unique_ptr<SampleBatch>> drawn_;
  Queue<std::unique_ptr<SampleBatch>> used_;
  std::vector<std::unique_ptr<Seat>> actors_;
};

}  // namespace

void train_apex(const ApexConfig& config, const DqnConfig& dqn, const ReplayConfig& replay,
                Parts& parts) {
  Apex(config, dqn, replay, parts).train();
}

}  // namespace tandem
