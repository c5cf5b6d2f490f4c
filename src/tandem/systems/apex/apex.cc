#include "tandem/systems/apex/apex.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/base/available_memory.h"
#include "tandem/learn/shared_model.h"
#include "tandem/replay/table_state.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/fair_mutex.h"
#include "tandem/sync/queue.h"
#include "tandem/systems/apex/apex_actor.h"
#include "tandem/systems/apex/replay_budget.h"
#include "tandem/systems/apex/replay_learner.h"
#include "tandem/systems/apex/returns_by_epsilon.h"
#include "tandem/systems/common/parts.h"

namespace tandem {
namespace {

/// Steps of an actor between two of its reports.
constexpr std::int64_t kReportSteps = 64;

/// Of the replay's priorities, for the log, with each update.
constexpr std::int64_t kPriorities = 100;

constexpr auto kReplay = "replay";  // of a checkpoint

std::vector<float> epsilons_of(const ApexConfig& config, const ActingRule& rule) {
  std::vector<float> epsilons(static_cast<std::size_t>(config.actors * config.envs));
  for (std::size_t env = 0; env < epsilons.size(); ++env) {
    epsilons[env] = rule.epsilon(static_cast<int>(env), 0, 0);
  }
  return epsilons;
}

/// Figure 1.
class Apex {
 public:
  Apex(const ApexConfig& config, const ReplayConfig& replay, Parts& parts)
      : config_(config),
        parts_(parts),
        spec_(parts.make_env(0)->spec()),
        format_(frame_format(spec_, compression_of(replay.compression))),
        model_(parts.learner),
        learner_(parts.algorithm.replay(), parts, model_),
        table_(replay, format_, config.batch, parts.seed, crew_.stop_token()),
        drawn_(static_cast<std::size_t>(config.prefetch), crew_.stop_token()),
        used_(static_cast<std::size_t>(config.prefetch) + 2, crew_.stop_token()),
        returns_(epsilons_of(config, *parts.algorithm.acting)),
        memory_(replay, available_memory_bytes) {
    // One batch more is at the learner, another is being drawn.
    const auto batches = config.prefetch + 2;
    require_memory_for_batches(format_, config.batch, batches, available_memory_bytes());
    for (std::int64_t i = 0; i < batches; ++i) {
      used_.push(std::make_unique<SampleBatch>(format_, static_cast<std::size_t>(config.batch)));
    }
    if (replay.compression == "none") {
      require_memory(replay, raw_bytes_per_transition(replay, format_, config.n, config.copies), 0,
                     available_memory_bytes());
    }
    for (int rank = 0; rank < config.actors; ++rank) {
      actors_.push_back(std::make_unique<Seat>());
      actors_.back()->options = actor_options(config, replay, parts, spec_, rank);
    }
    if (parts.resume != nullptr) load(*parts.resume);
    inserted_ = table_.state().inserted;
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
  /// An actor's place. Its lock is held for each step, so that all can be saved between two.
  struct Seat {
    ApexActorOptions options;
    FairMutex mutex;
    std::unique_ptr<ApexActor> actor;            // null before it has begun
    std::vector<std::unique_ptr<Segment>> full;  // of its last step
    std::int64_t steps = 0;                      // since the last report
    std::int64_t restarts = 0;
  };

  std::unique_ptr<ApexActor> make_actor(const ApexActorOptions& options) {
    return std::make_unique<ApexActor>(options, parts_, model_);
  }

  /// Algorithm 1.
  void play(int rank) {
    auto& seat = *actors_[static_cast<std::size_t>(rank)];
    go_on(seat, static_cast<std::size_t>(rank));
    while (!parts_.run.done()) {
      double waited_seconds = 0;
      for (int i = 0; i < kReportSteps; ++i) {
        const Stopwatch watch;
        table_.wait_to_insert();
        waited_seconds += watch.seconds();
        const std::lock_guard lock(seat.mutex);
        step(seat);
      }
      report(seat, waited_seconds);
    }
  }

  /// As the actor was in the checkpoint, if it had begun by then.
  void go_on(Seat& seat, std::size_t rank) {
    const auto name = state_name("actor", rank);
    if (parts_.resume == nullptr || !parts_.resume->blobs.contains(name)) return;
    const std::lock_guard lock(seat.mutex);
    seat.actor = make_actor(seat.options);
    StateReader reader(parts_.resume->blob(name));
    seat.actor->load(reader);
  }

  void step(Seat& seat) {
    try {
      if (seat.actor == nullptr) {
        seat.actor = make_actor(seat.options);
        seat.actor->start();
      }
      seat.actor->step(seat.full);
      seat.steps += seat.options.envs;
    } catch (const std::exception& error) {
      begin_anew(seat, error);
    }
    for (auto& segment : seat.full) table_.insert(std::move(segment), config_.copies);
    seat.full.clear();
  }

  /// Appendix F, "Failure Tolerance". What the actor had not finished is lost; its epsilon stays.
  void begin_anew(Seat& seat, const std::exception& error) const {
    if (seat.restarts == config_.restarts) throw;
    seat.restarts += 1;
    spdlog::warn("{}; its actor begins anew (time {} of {}: apex.restarts)", error.what(),
                 seat.restarts, config_.restarts);
    seat.actor.reset();
    seat.options.seed += 1;  // the same draws could end in the same error
  }

  void report(Seat& seat, double waited_seconds) {
    UpdateReport report{.updates = 0};
    std::vector<Episode> episodes;
    {
      const std::lock_guard lock(seat.mutex);
      if (seat.actor == nullptr) return;
      report.steps = std::exchange(seat.steps, 0);
      report.seconds = seat.actor->take_seconds();
      episodes = seat.actor->take_episodes();
    }
    report.seconds.waiting += waited_seconds;
    report.episodes = episodes;
    returns_.add(episodes);
    parts_.run.record(report);
  }

  /// Algorithm 2, line 4, "in a background thread".
  void draw() {
    for (;;) {
      auto batch = *used_.pop();
      table_.sample(*batch);
      drawn_.push(std::move(batch));
    }
  }

  /// Algorithm 2.
  void learn() {
    while (!parts_.run.done()) {
      const Stopwatch watch;
      auto batch = *drawn_.pop();
      const double waited_seconds = watch.seconds();
      UpdateReport report;
      {
        const std::lock_guard lock(learner_mutex_);
        report = learner_.update(*batch, parts_.run.steps());
        table_.update(batch->keys, batch->priorities);
      }
      if (learner_.updates() % config_.trim_updates == 0) table_.trim();
      report.seconds.waiting = waited_seconds;
      record(report, *batch);
      used_.push(std::move(batch));
    }
  }

  void record(UpdateReport& report, const SampleBatch& batch) {
    const auto state = table_.state();
    memory_.look(state);
    const auto samples = static_cast<double>(batch.size);
    const double ages = std::accumulate(batch.ages.begin(), batch.ages.end(), 0.0);
    auto measures = returns_.take();
    measures.insert(measures.end(),
                    {{"replay/transitions", static_cast<double>(state.transitions), 1},
                     {"replay/bytes_per_transition", state.bytes_per_transition(), 1},
                     {"replay/samples_per_insert",
                      static_cast<double>(state.sampled) / static_cast<double>(state.inserted), 1},
                     {"replay/inserts_per_second", static_cast<double>(state.inserted - inserted_)},
                     {"replay/samples_per_second", samples},
                     {"replay/age_transitions", ages, samples},
                     {"apex/batches_drawn_ahead", static_cast<double>(drawn_.size()), 1},
                     {"apex/learner_waiting", report.seconds.waiting, report.seconds.total()}});
    inserted_ = state.inserted;
    if (const double rested = rested_seconds_.exchange(0); rested > 0) {
      measures.push_back({"apex/checkpoint_rest_seconds", rested, 1});
    }
    Histogram priorities;
    for (const float priority : table_.priorities(kPriorities)) priorities.add(priority);
    const Spread spread{"replay/priority", &priorities};
    report.measures = measures;
    report.spreads = {&spread, 1};
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

  /// The threads rest only for as long as a list of the replay's transitions takes; they go on
  /// while these are written.
  void save() {
    for (const auto& seat : actors_) report(*seat, 0);  // their steps so far count
    Checkpoint checkpoint;
    {
      const std::lock_guard learner_rests(learner_mutex_);
      const Stopwatch watch;
      std::vector<std::unique_lock<FairMutex>> actors_rest;
      for (const auto& seat : actors_) actors_rest.emplace_back(seat->mutex);
      save_learner(parts_.learner, checkpoint);
      learner_.save(checkpoint);
      for (std::size_t rank = 0; rank < actors_.size(); ++rank) save(rank, checkpoint);
      if (config_.keep_replay) checkpoint.pieces[kReplay] = pieces_of(table_.snapshot());
      rested_seconds_ = watch.seconds();
    }
    parts_.run.save(checkpoint);
  }

  void save(std::size_t rank, Checkpoint& checkpoint) const {
    const auto& seat = *actors_[rank];
    if (seat.actor == nullptr) return;
    StateWriter writer;
    seat.actor->save(writer);
    checkpoint.add_blob(state_name("actor", rank), writer.bytes());
  }

  /// Without a replay in the checkpoint, learning pauses until there is enough anew (appendix F).
  void load(const Checkpoint& checkpoint) {
    const auto found = checkpoint.pieces.find(kReplay);
    if (found != checkpoint.pieces.end()) restore(table_, found->second);
  }

  const ApexConfig& config_;
  Parts& parts_;
  const EnvSpec spec_;
  const FrameFormat format_;
  Crew crew_;
  SharedModel model_;
  FairMutex learner_mutex_;  // taken before those of the seats
  ReplayLearner learner_;    // guarded by learner_mutex_
  Table table_;
  Queue<std::unique_ptr<SampleBatch>> drawn_;
  Queue<std::unique_ptr<SampleBatch>> used_;
  std::vector<std::unique_ptr<Seat>> actors_;
  ReturnsByEpsilon returns_;
  std::atomic<double> rested_seconds_ = 0;  // all, for the last checkpoint
  // The learner's own.
  MemoryWatch memory_;
  std::int64_t inserted_ = 0;  // by the last record
};

}  // namespace

ApexActorOptions actor_options(const ApexConfig& config, const ReplayConfig& replay,
                               const Parts& parts, const EnvSpec& spec, int rank) {
  return {.first_env = rank * static_cast<int>(config.envs),
          .envs = static_cast<int>(config.envs),
          .seed = parts.seed,
          .refresh_steps = std::max<std::int64_t>(1, config.refresh_frames / spec.frames_per_step),
          .format = frame_format(spec, compression_of(replay.compression)),
          .transitions = {.n = config.n,
                          .gamma = parts.algorithm.acting->gamma(),
                          .transitions = static_cast<std::size_t>(replay.segment)}};
}

void train_apex(const ApexConfig& config, const ReplayConfig& replay, Parts& parts) {
  Apex(config, replay, parts).train();
}

}  // namespace tandem
