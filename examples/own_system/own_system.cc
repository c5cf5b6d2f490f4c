// A program with its own system, as docs/add_a_system.md explains it. A killed run resumes from its
// checkpoint with the same bits.
#include <cstddef>
#include <cstdio>
#include <span>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/collector.h"
#include "tandem/base/error.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"
#include "tandem/trainer/training.h"

namespace {

using Json = nlohmann::ordered_json;
using Variants = std::vector<std::vector<std::string>>;

/// All environments take t_max steps together; one gradient over all of them moves the parameters.
class SyncA2c final : public tandem::System {
 public:
  const tandem::SystemInfo& info() const override {
    static const tandem::SystemInfo own{"sync", "one thread steps, acts and learns by turns",
                                        "Mnih et al. 2016, without its threads", "always"};
    return own;
  }
  std::unique_ptr<System> clone() const override { return std::make_unique<SyncA2c>(*this); }
  tandem::FieldList fields() override {
    return {{.key = "sync.envs", .target = &envs_, .meaning = "environments", .least = 1},
            {.key = "sync.t_max", .target = &t_max_, .meaning = "steps to an update", .least = 1}};
  }
  tandem::Requirements requirements() const override {
    return {.value_methods = false, .passes = false};
  }
  bool repeatable() const override { return true; }
  std::int64_t envs() const override { return envs_; }

  // Only the program `tandem` calls these functions.
  tandem::Batching batching() const override {
    return {.envs = static_cast<int>(envs_), .steps = static_cast<int>(t_max_), .rollouts = 1};
  }
  tandem::ThreadPattern thread_pattern(int) const override { return {}; }
  std::optional<double> lag_updates() const override { return 0; }
  std::string threads_key() const override { return "run.threads"; }
  Variants variants(int) const override { return {{}}; }
  Variants sleeping_variants(std::int64_t) const override { return {{}}; }
  void set_update(const tandem::UpdateShape& shape) override { t_max_ = shape.steps; }
  void prepare_to_measure() override {}
  tandem::MeasuredCosts measure_costs(const tandem::TrainingContext&, const Json&, int,
                                      double) const override {
    return {};
  }

  void train(tandem::TrainingContext& context) const override;

 private:
  std::int64_t envs_ = 16;
  std::int64_t t_max_ = 5;
};

void save(tandem::Collector& collector, tandem::TrainingContext& context) {
  tandem::Checkpoint checkpoint;
  tandem::save_learner(context.learner, checkpoint);  // the run adds counters, Training the config
  tandem::StateWriter writer;
  collector.save(writer);
  checkpoint.add_blob("environments", writer.bytes());
  context.run.save(checkpoint);
}

void SyncA2c::train(tandem::TrainingContext& context) const {
  auto& run = context.run;
  auto& learner = context.learner;
  const auto& loss = context.algorithm.rollout_loss();
  const auto network = context.actor.make_network(learner.parameters());
  tandem::RecordingActor actor(*network);
  tandem::Collector collector(
      {context.actor.make_env, {.count = static_cast<int>(envs_), .seed = context.actor.seed}},
      actor, nullptr, context.algorithm, static_cast<int>(t_max_), tandem::RolloutEnd::after_t_max,
      tandem::LastState::looked_at_again, context.actor.rewards);
  tandem::start_or_load(collector, context.resume, "environments");

  tandem::Workers workers(1);
  std::vector<std::vector<float>> gradient(1, std::vector<float>(learner.parameters().size()));
  const std::int64_t samples = envs_ * t_max_;
  while (!run.done()) {
    network->reload();
    auto& rollout = collector.collect(run.steps());
    tandem::UpdateReport report{.steps = samples};
    network->backward(
        [&](const tandem::Heads& heads, const tandem::Heads& out) {
          report.loss = loss.loss(heads, rollout, 1 / static_cast<double>(samples), out);
        },
        gradient.front());
    const auto episodes = collector.take_episodes();
    report.episodes = episodes;
    const auto update = learner.apply(gradient, run.steps(), workers);
    const std::span<const std::byte> seen = rollout.observations(0, rollout.steps());
    learner.observe({&seen, 1});
    report.gradient_norm = update.gradient_norm;
    report.learning_rate = update.learning_rate;
    run.record(report);
    if (run.checkpoint_due()) save(collector, context);
  }
  save(collector, context);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw tandem::Error("usage: own_system FOLDER STEPS [resume]");
    auto catalogue = std::make_shared<tandem::Catalogue>(*tandem::published());
    catalogue->systems.push_back(std::make_shared<SyncA2c>());
    const auto config = tandem::make_config(
        "sync",
        {"env.id=cartpole", "net.arch=mlp", "optimizer.lr=0.003", "optimizer.anneal_steps=0",
         "run.checkpoint_minutes=0.002", "run.steps=" + std::string(argv[2])},
        catalogue);
    tandem::Training(config, argv[1], argc > 3).run({.progress = nullptr});
  } catch (const tandem::Error& error) {
    std::fprintf(stderr, "own_system: %s\n", error.what());
    return 2;
  }
}
