#include "tandem/systems/hts/hts.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/acting/batched_inference.h"
#include "tandem/acting/collector.h"
#include "tandem/learn/target.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/rendezvous.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/systems/hts/hts_learner.h"
#include "tandem/systems/hts/hts_shape.h"
#include "tandem/systems/hts/hts_storage.h"

namespace tandem {
namespace {

constexpr auto kStorage = "storage";  // a blob of the checkpoint

/// Section 4.1: steps its own environments by the policy that actors predict. The executor draws
/// all random numbers, its actions included, from the stream of each environment, so the result
/// does not depend on the actor that answered. Without actors the executor predicts for itself,
/// with a copy of the parameters. With a value method it has a copy of the target network, too.
struct Executor {
  Executor(const ActorContext& context, Inference& actors,
           std::unique_ptr<LocalInference> of_its_own, std::unique_ptr<LocalInference> of_targets,
           int steps, int first, int count)
      : first(first),
        count(count),
        own(std::move(of_its_own)),
        client(own != nullptr ? *own : actors),
        targets(std::move(of_targets)),
        collector(VecEnv(context.make_env, {.first = first, .count = count, .seed = context.seed}),
                  client, target_client(), context.rule, context.bootstrap, steps,
                  RolloutEnd::after_t_max, LastState::looked_at_again, context.rewards) {}

  ActorNetwork* target_client() {
    if (targets == nullptr) return nullptr;
    return &target.emplace(*targets);
  }

  int first;  // its first environment
  int count;
  std::unique_ptr<LocalInference> own;  // null if actors predict
  PolicyClient client;
  std::unique_ptr<LocalInference> targets;  // null if there is no target network
  std::optional<PolicyClient> target;
  Collector collector;
  double waited_seconds = 0;  // seconds that it waited for the others at the last synchronisation
};

/// HTS-RL, as in Figure 1(e).
class Hts {
 public:
  Hts(const HtsConfig& config, TrainingContext& context)
      : config_(config),
        context_(context),
        shape_(HtsShape::of(config, context.actor.spec.agents)),
        acting_(context.learner.parameters()),
        target_(context.learner.parameters(), context.algorithm.rollout_loss().needs().target_steps,
                context.run.steps()),
        learner_(config, shape_, context),
        inference_(context.learner.architecture(), config.max_predictions, crew_.stop_token(),
                   answering(config)),
        executors_(static_cast<std::size_t>(std::min(config.executors, config.envs))),
        synchronisation_(
            static_cast<int>(executors_.size()) + 1, [this] { synchronise(); },
            crew_.stop_token()) {
    for (int i = 0; i < 2; ++i) {
      storages_.emplace_back(context.actor.spec, shape_,
                             context.learner.architecture().state_size());
      storages_.back().activations = learner_.make_activations();
    }
    if (context.resume == nullptr) return;
    load_target(*context.resume, target_);
    StateReader reader(context.resume->blob(kStorage));
    full_ = reader.get<bool>();
    if (!full_) return;
    reading().load(reader);
    if (reading().activations != nullptr) learner_.record_again(reading());
  }

  ~Hts() { crew_.end(); }  // the threads use all other members
  Hts(const Hts&) = delete;
  Hts& operator=(const Hts&) = delete;

  void train() {
    if (context_.run.done()) return save();
    if (config_.actors > 0) {
      crew_.spawn("actor", static_cast<int>(config_.actors), [this](int) { act(); });
    }
    crew_.spawn("executor", static_cast<int>(executors_.size()),
                [this](int rank) { execute(static_cast<std::size_t>(rank)); });
    crew_.spawn("learner", 1, [this](int) { learn(); });
    crew_.join();
    save();
  }

 private:
  static Answering answering(const HtsConfig& config) {
    return config.deterministic ? Answering::alone : Answering::together;
  }

  /// Reports of no update, as of the first interval, which has no storage to learn from yet.
  [[nodiscard]] std::vector<UpdateReport> no_reports() const {
    return {static_cast<std::size_t>(shape_.updates), UpdateReport{.updates = 0}};
  }

  /// Agents in each environment: rows of the storage.
  [[nodiscard]] int agents() const { return static_cast<int>(context_.actor.spec.agents); }

  HtsStorage& writing() { return storages_[writing_]; }
  HtsStorage& reading() { return storages_[1 - writing_]; }

  /// Runs an actor, which answers the waiting requests with theta_j.
  [[noreturn]] void act() {
    NetworkCopy model(acting_, context_.actor.make_network);
    BatchedInference::Batch batch;
    while (true) inference_.answer(model, batch);
  }

  /// Runs an executor, which takes alpha steps of its environments between two meetings and does
  /// not wait for other executors meanwhile.
  [[noreturn]] void execute(std::size_t rank) {
    executors_[rank] = make_executor(rank);
    auto& own = *executors_[rank];
    start(own, rank);
    while (true) {
      for (int rollout = 0; rollout < shape_.rollouts; ++rollout) {
        record_into(own, writing(), rollout);
        const Rollout& played = own.collector.collect(context_.run.steps());
        writing().write(played, rollout, own.first * agents());
      }
      meet(own.waited_seconds);
    }
  }

  /// Sets the places in the storage where actors keep the activations that learning needs, for each
  /// sample of a rollout.
  void record_into(Executor& executor, const HtsStorage& storage, int rollout) const {
    std::vector<std::int64_t> places;
    std::vector<std::int64_t> strides;
    const int end = (executor.first + executor.count) * agents();
    for (int row = executor.first * agents(); row < end; ++row) {
      places.push_back(storage.place_of(rollout, row));
      strides.push_back(storage.stride_of(row));
    }
    executor.client.record_into(storage.activations.get(), std::move(places), std::move(strides));
  }

  /// Runs the learner, which makes theta_{j+1} from the experience of theta_{j-1} while theta_j
  /// acts.
  [[noreturn]] void learn() {
    double waited_seconds = 0;
    while (true) {
      if (full_) {
        reports_ = learner_.update(reading(), context_.run.steps(), acting_);
      }
      reports_.back().seconds.waiting += waited_seconds;
      meet(waited_seconds);
    }
  }

  void meet(double& waited_seconds) {
    const Stopwatch watch;
    synchronisation_.meet();
    waited_seconds = watch.seconds();
  }

  /// Runs after every alpha steps: the storages swap their roles, and theta_{j+1} acts from now on.
  void synchronise() {
    acting_.publish();
    writing_ = 1 - writing_;
    full_ = true;
    record();
    target_.refresh(context_.run.steps(), [this](std::span<float> theta) {
      std::ranges::copy(context_.learner.parameters(), theta.begin());
    });
    if (context_.run.done()) {
      crew_.stop();
      throw Stopped();
    }
    if (context_.run.checkpoint_due()) save();
  }

  std::unique_ptr<Executor> make_executor(std::size_t rank) {
    const auto first_of = [&](std::size_t i) {
      return static_cast<int>(static_cast<std::size_t>(config_.envs) * i / executors_.size());
    };
    const int first = first_of(rank);
    return std::make_unique<Executor>(context_.actor, inference_,
                                      config_.actors == 0 ? local_inference(acting_) : nullptr,
                                      target_.exist() ? local_inference(target_) : nullptr,
                                      shape_.steps, first, first_of(rank + 1) - first);
  }

  /// Forward passes in the thread of an executor, with a copy of these parameters.
  template <class Parameters>
  std::unique_ptr<LocalInference> local_inference(const Parameters& parameters) {
    return std::make_unique<LocalInference>(NetworkCopy(parameters, context_.actor.make_network),
                                            answering(config_), crew_.stop_token());
  }

  void start(Executor& executor, std::size_t rank) {
    start_or_load(executor.collector, context_.resume, state_name("executor", rank));
  }

  void record() {
    std::vector<UpdateReport> reports = std::exchange(reports_, no_reports());
    for (auto& report : reports) report.steps = shape_.samples_each();
    UpdateReport& all = reports.back();  // also tells of the threads
    const TimeShares learning = all.seconds;
    TimeShares executing;
    episodes_.clear();
    for (const auto& executor : executors_) {
      TimeShares seconds = executor->collector.take_seconds();
      seconds.waiting = executor->waited_seconds;
      // Actors count their computing time themselves, so an executor's inference counts as waiting.
      if (config_.actors > 0) seconds.waiting += std::exchange(seconds.inferring, 0);
      executing += seconds;
      std::ranges::copy(executor->collector.take_episodes(), std::back_inserter(episodes_));
    }
    all.seconds += executing;
    std::vector<Measure> measures = {
        {"hts/executors_waiting", executing.waiting, executing.total()},
        {"hts/learners_waiting", learning.waiting, learning.total()},
    };
    const auto predicted = inference_.take_stats();
    const Spread latency{"hts/prediction_seconds", &predicted.latency_seconds};
    if (config_.actors > 0) {
      const TimeShares acting = {.inferring = predicted.computing_seconds,
                                 .waiting = predicted.idle_seconds};
      all.seconds += acting;
      all.spreads = {&latency, 1};
      measures.push_back({"hts/prediction_batch", static_cast<double>(predicted.predictions),
                          static_cast<double>(predicted.batches)});
      measures.push_back({"hts/actors_waiting", acting.waiting, acting.total()});
    }
    all.episodes = episodes_;
    all.measures = measures;
    for (const auto& report : reports) context_.run.record(report);
  }

  /// Call it only while all threads wait for each other, or when all have ended.
  void save() {
    Checkpoint checkpoint;
    save_learner(context_.learner, checkpoint);
    save_target(target_, checkpoint);
    learner_.save(checkpoint);
    StateWriter storage;
    storage.put(full_);
    if (full_) reading().save(storage);
    checkpoint.add_blob(kStorage, storage.bytes());
    for (std::size_t rank = 0; rank < executors_.size(); ++rank) {
      const auto name = state_name("executor", rank);
      if (executors_[rank] == nullptr) {  // the run is over already
        keep_state(context_.resume, name, checkpoint);
      } else {
        save_state(executors_[rank]->collector, name, checkpoint);
      }
    }
    context_.run.save(checkpoint);
  }

  const HtsConfig& config_;
  TrainingContext& context_;
  Crew crew_;
  const HtsShape shape_;
  PublishedParameters acting_;  // theta_j
  TargetParameters target_;     // theta-, for value methods
  HtsLearner learner_;
  BatchedInference inference_;
  std::vector<std::unique_ptr<Executor>> executors_;  // by rank
  std::vector<HtsStorage> storages_;                  // two: one is written while the other is read
  std::size_t writing_ = 0;                           // index of the storage that is written
  bool full_ = false;                                 // whether the other storage has been written
  std::vector<UpdateReport> reports_ = no_reports();  // of the last updates
  std::vector<Episode> episodes_;
  Rendezvous synchronisation_;
};

}  // namespace

void train_hts(const HtsConfig& config, TrainingContext& context) { Hts(config, context).train(); }

}  // namespace tandem
