#include "tandem/systems/ga3c/ga3c.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tandem/sync/cores.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/team.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/ga3c/ga3c_adjustment.h"
#include "tandem/systems/ga3c/ga3c_agent.h"
#include "tandem/systems/ga3c/ga3c_cores.h"

namespace tandem {
namespace {

constexpr auto kAdjustment = "adjustment";  // of the checkpoint
// Environments count from 0 on; the two above are initialise()'s and draw_learning_rate()'s.
constexpr std::uint64_t kAdjustmentStream = ~std::uint64_t{2};

Ga3cThreads threads_of(const Ga3cConfig& config) {
  return {static_cast<int>(config.agents), static_cast<int>(config.predictors),
          static_cast<int>(config.trainers)};
}

/// Figure 1 b: agents, the prediction queue, predictors, the training queue, trainers, one model.
class Ga3c {
 public:
  Ga3c(const Ga3cConfig& config, Parts& parts)
      : config_(config),
        parts_(parts),
        cores_(Ga3cCores::of(config, usable_cores())),
        model_(parts.learner),
        policy_(parts.learner.architecture(), config.max_predictions, crew_.stop_token()),
        queue_(static_cast<std::size_t>(config.queue), crew_.stop_token()),
        agents_(Ga3cThreads::kMost.agents),
        predictors_(Ga3cThreads::kMost.predictors),
        trainers_(Ga3cThreads::kMost.trainers),
        adjustment_(threads_of(config), Stream(parts.seed, kAdjustmentStream)) {
    if (parts.resume == nullptr) return;
    StateReader reader(parts.resume->blob(kAdjustment));
    adjustment_.load(reader);
  }

  ~Ga3c() { crew_.end(); }  // its threads use all the rest
  Ga3c(const Ga3c&) = delete;
  Ga3c& operator=(const Ga3c&) = delete;

  void train() {
    try {
      while (!parts_.run.done()) {
        run_until_due();
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
  struct Predictor {
    NetworkCopy model;
    BatchedInference::Batch batch = {};
  };

  void play(int rank, bool anew) {
    auto& agent = agents_[static_cast<std::size_t>(rank)];
    if (agent == nullptr) {
      agent = std::make_unique<Ga3cAgent>(config_, parts_, policy_, rank);
      agent->start(parts_.resume);
    }
    if (anew) agent->look_again();
    agent->play(queue_, used_.take(), parts_.run.steps());
  }

  void predict(int rank) {
    auto& predictor = predictors_[static_cast<std::size_t>(rank)];
    if (predictor == nullptr) {
      predictor = std::make_unique<Predictor>(Predictor{NetworkCopy(model_, parts_.make_network)});
    }
    policy_.answer(predictor->model, predictor->batch);
  }

  /// False when the training queue is closed and empty.
  bool learn(int rank) {
    auto& trainer = trainers_[static_cast<std::size_t>(rank)];
    if (trainer == nullptr) trainer = std::make_unique<ExperienceTrainer>(parts_, model_);
    if (!trainer->gather(queue_, config_.min_batch)) return false;
    update(*trainer);
    return true;
  }

  void update(ExperienceTrainer& trainer) {
    UpdateReport report = trainer.update(parts_.run.steps());
    const auto learning = report.seconds;
    TimeShares playing;
    for (const auto& experience : trainer.batch()) playing += experience->seconds;
    const auto predicted = policy_.take_stats();
    const TimeShares predicting = {.inferring = predicted.computing_seconds,
                                   .waiting = predicted.idle_seconds};
    report.seconds += playing;
    report.seconds += predicting;
    const auto predictions = static_cast<double>(predicted.predictions);
    const auto batches = static_cast<double>(predicted.batches);
    const auto experiences = static_cast<double>(trainer.batch().size());
    const std::array measures = {
        Measure{"ga3c/predictions_per_second", predictions},
        Measure{"ga3c/prediction_batch", predictions, batches},
        Measure{"ga3c/prediction_queue", static_cast<double>(predicted.waiting), batches},
        Measure{"ga3c/training_batch", static_cast<double>(report.steps), 1},
        Measure{"ga3c/training_queue", trainer.waiting(), experiences},
        Measure{"ga3c/policy_lag_updates", static_cast<double>(trainer.lag()), experiences},
        Measure{"ga3c/agents_waiting", playing.waiting, playing.total()},
        Measure{"ga3c/predictors_waiting", predicting.waiting, predicting.total()},
        Measure{"ga3c/trainers_waiting", learning.waiting, learning.total()},
        Measure{"ga3c/agents", static_cast<double>(agent_team_.size()), 1},
        Measure{"ga3c/predictors", static_cast<double>(predictor_team_.size()), 1},
        Measure{"ga3c/trainers", static_cast<double>(trainer_team_.size()), 1},
    };
    const Spread latency{"ga3c/prediction_seconds", &predicted.latency_seconds};
    report.measures = measures;
    report.spreads = {&latency, 1};
    parts_.run.record(report);
    updates_.fetch_add(1, std::memory_order_relaxed);
    used_.give(trainer.batch());
    if (due()) {
      const std::lock_guard lock(due_mutex_);
      due_changed_.notify_all();
    }
  }

  void resize(const Ga3cThreads& threads) {
    predictor_team_.resize(threads.predictors);
    trainer_team_.resize(threads.trainers);
    agent_team_.resize(threads.agents);
  }

  [[nodiscard]] bool due() const { return parts_.run.done() || parts_.run.checkpoint_due(); }

  /// Until the run is done or a checkpoint is due. Section 4.3 meanwhile.
  void run_until_due() {
    const double interval = config_.adjust_seconds;
    const std::chrono::duration<double> poll(interval > 0 ? std::min(interval / 4, kPollSeconds)
                                                          : kPollSeconds);
    resize(adjustment_.tried());
    updates_ = 0;
    Stopwatch watch;
    std::unique_lock lock(due_mutex_);
    while (!due()) {
      due_changed_.wait_for(lock, crew_.stop_token(), poll, [&] { return due(); });
      if (crew_.stop_token().stop_requested()) throw Stopped();
      tried_seconds_ += watch.lap();
      tried_updates_ += updates_.exchange(0);
      if (interval > 0 && tried_seconds_ >= interval) adjust();
    }
  }

  void adjust() {
    const auto updates = static_cast<double>(std::exchange(tried_updates_, 0));
    resize(adjustment_.next(updates / std::exchange(tried_seconds_, 0)));
  }

  /// Everything that was played is learned from, and nothing moves any more.
  void rest() {
    agent_team_.rest();
    queue_.close();
    trainer_team_.rest();
    while (learn(0)) continue;
    queue_.open();
  }

  void save() {
    Checkpoint checkpoint;
    save_learner(parts_.learner, checkpoint);
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      const auto name = Ga3cAgent::state_name(static_cast<int>(i));
      if (agents_[i] != nullptr) {
        agents_[i]->save(checkpoint);
      } else if (parts_.resume != nullptr && parts_.resume->blobs.contains(name)) {
        const auto state = parts_.resume->blob(name);  // it has rested since
        checkpoint.add_blob(name, {state.begin(), state.end()});
      }
    }
    StateWriter writer;
    adjustment_.save(writer);
    checkpoint.add_blob(kAdjustment, writer.bytes());
    parts_.run.save(checkpoint);
  }

  static constexpr double kPollSeconds = 0.1;

  const Ga3cConfig& config_;
  Parts& parts_;
  const Ga3cCores cores_;
  Crew crew_;
  SharedModel model_;
  BatchedInference policy_;
  TrainingQueue queue_;
  UsedExperiences used_;

  // By rank; null where none has started yet.
  std::vector<std::unique_ptr<Ga3cAgent>> agents_;
  std::vector<std::unique_ptr<Predictor>> predictors_;
  std::vector<std::unique_ptr<ExperienceTrainer>> trainers_;

  Team agent_team_{crew_, "agent", [this](int rank, bool anew) { play(rank, anew); },
                   [this](int rank) {
                     if (rank >= config_.roaming_agents) keep_to(cores_.others);
                   }};
  Team predictor_team_{crew_, "predictor", [this](int rank, bool) { predict(rank); },
                       [this](int) { keep_to(cores_.others); }};
  Team trainer_team_{crew_, "trainer", [this](int rank, bool) { learn(rank); },
                     [this](int) { keep_to(cores_.trainers); }};

  Ga3cAdjustment adjustment_;
  double tried_seconds_ = 0;  // of work with the numbers that are tried
  std::int64_t tried_updates_ = 0;
  std::atomic<std::int64_t> updates_ = 0;  // not yet among these
  std::mutex due_mutex_;
  std::condition_variable_any due_changed_;
};

}  // namespace

void train_ga3c(const Ga3cConfig& config, Parts& parts) { Ga3c(config, parts).train(); }

}  // namespace tandem
