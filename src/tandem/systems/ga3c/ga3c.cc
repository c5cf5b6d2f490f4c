#include "tandem/systems/ga3c/ga3c.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/base/streams.h"
#include "tandem/learn/target.h"
#include "tandem/run/checkpoint_loop.h"
#include "tandem/sync/cores.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/team.h"
#include "tandem/systems/common/drain.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/systems/ga3c/ga3c_agent.h"
#include "tandem/systems/ga3c/ga3c_cores.h"
#include "tandem/systems/ga3c/ga3c_report.h"
#include "tandem/systems/ga3c/ga3c_search.h"

namespace tandem {
namespace {

constexpr auto kSearch = "adjustment";  // the search's state in a checkpoint

Ga3cThreads threads_of(const Ga3cConfig& config) {
  return {static_cast<int>(config.agents), static_cast<int>(config.predictors),
          static_cast<int>(config.trainers)};
}

/// The main thread changes the numbers of threads when it polls. If they change often, it polls
/// often.
double poll_seconds(const Ga3cConfig& config) {
  const double most = CheckpointLoop::kPollSeconds;
  return config.adjust_seconds > 0 ? std::min(config.adjust_seconds / 4, most) : most;
}

/// The copy of the model and the buffers with which a predictor answers agents.
struct Predictor {
  NetworkCopy model;
  BatchedInference::Batch batch = {};
};

/// GA3C, as in Figure 1(b): agents, the prediction queue, predictors, the training queue, trainers,
/// one model.
class Ga3c final : private Checkpointed {
 public:
  Ga3c(const Ga3cConfig& config, TrainingContext& context)
      : config_(config),
        context_(context),
        cores_(Ga3cCores::of(config, usable_cores())),
        model_(context.learner),
        target_(context.learner.parameters(), context.algorithm.rollout_loss().needs().target_steps,
                context.run.steps()),
        prediction_queue_(context.learner.architecture(), config.max_predictions,
                          crew_.stop_token()),
        training_queue_(static_cast<std::size_t>(config.queue), crew_.stop_token()),
        agents_(Ga3cThreads::kMost.agents),
        predictors_(Ga3cThreads::kMost.predictors),
        trainers_(Ga3cThreads::kMost.trainers),
        search_(config.adjust_seconds, threads_of(config),
                Stream(context.actor.seed, streams::kThreadSearch.id())),
        loop_(*this, context.run, crew_, poll_seconds(config)) {
    if (context.resume == nullptr) return;
    load_target(*context.resume, target_);
    StateReader reader(context.resume->blob(kSearch));
    search_.load(reader);
  }

  ~Ga3c() override { crew_.end(); }  // the threads use all other members
  Ga3c(const Ga3c&) = delete;
  Ga3c& operator=(const Ga3c&) = delete;

  void train() {
    go_on();
    loop_.run();
  }

 private:
  /// A unit of work of an agent, which asks predictors for actions and submits its experience.
  void play(int rank, bool anew) {
    if (!plays_on(context_.run)) return;
    auto& agent = agents_[static_cast<std::size_t>(rank)];
    if (agent == nullptr) {
      agent =
          std::make_unique<Ga3cAgent>(config_, context_.actor, prediction_queue_, target_, rank);
      agent->start(context_.resume);
    }
    if (anew) agent->look_again();
    agent->play(training_queue_, used_.take(), context_.run.steps());
  }

  /// A unit of work of a predictor, which answers the requests that wait in the prediction queue in
  /// one batch.
  void predict(int rank) {
    auto& predictor = predictors_[static_cast<std::size_t>(rank)];
    if (predictor == nullptr) {
      predictor =
          std::make_unique<Predictor>(Predictor{NetworkCopy(model_, context_.actor.make_network)});
    }
    prediction_queue_.answer(predictor->model, predictor->batch);
  }

  /// A unit of work of a trainer, which updates the model with a batch of experiences. Returns
  /// false when the training queue is closed and empty.
  bool learn(int rank) {
    auto& trainer = trainers_[static_cast<std::size_t>(rank)];
    if (trainer == nullptr) trainer = std::make_unique<ExperienceTrainer>(context_, model_);
    if (!trainer->gather(training_queue_, config_.min_batch)) return false;
    const UpdateReport learned = trainer->update(context_.run.steps());
    record_ga3c(learned, *trainer, prediction_queue_.take_stats(), threads(), context_.run);
    refresh_target();
    search_.count_update();
    used_.give(trainer->batch());
    loop_.look();
    return true;
  }

  /// Copies the model to theta- every target_steps steps, if the method has a target network.
  void refresh_target() {
    target_.refresh(context_.run.steps(), [this](std::span<float> theta) {
      std::optional<std::int64_t> none;
      model_.copy_if_newer(none, theta);
    });
  }

  [[nodiscard]] Ga3cThreads threads() const {
    return {agent_team_.size(), predictor_team_.size(), trainer_team_.size()};
  }

  void resize(const Ga3cThreads& threads) {
    predictor_team_.resize(threads.predictors);
    trainer_team_.resize(threads.trainers);
    agent_team_.resize(threads.agents);
  }

  void go_on() {
    resize(search_.tried());
    search_.go_on();
  }

  /// Searches for better numbers of threads (section 4.3).
  void meanwhile() override {
    if (const auto threads = search_.next()) resize(*threads);
  }

  void hold() override {
    drain(agent_team_, training_queue_, trainer_team_, [this] { return learn(0); });
  }
  void finish() override { hold(); }
  void release() override { go_on(); }

  void collect(Checkpoint& checkpoint) override {
    save_learner(context_.learner, checkpoint);
    save_target(target_, checkpoint);
    for (int rank = 0; rank < Ga3cThreads::kMost.agents; ++rank) {
      auto& agent = agents_[static_cast<std::size_t>(rank)];
      if (agent != nullptr) {
        agent->save(checkpoint);
      } else {
        keep_state(context_.resume, Ga3cAgent::state_name(rank), checkpoint);
      }
    }
    StateWriter writer;
    search_.save(writer);
    checkpoint.add_blob(kSearch, writer.bytes());
  }

  const Ga3cConfig& config_;
  TrainingContext& context_;
  const Ga3cCores cores_;
  Crew crew_;
  SharedModel model_;
  TargetParameters target_;
  BatchedInference prediction_queue_;
  TrainingQueue training_queue_;
  UsedExperiences used_;

  // Agents, predictors and trainers by rank; null before their first unit of work.
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

  Ga3cSearch search_;
  CheckpointLoop loop_;
};

}  // namespace

void train_ga3c(const Ga3cConfig& config, TrainingContext& context) {
  Ga3c(config, context).train();
}

}  // namespace tandem
