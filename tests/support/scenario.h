// A short training run with any system, over a linear network so that the sanitizers see all of it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/algo/a2c.h"
#include "tandem/algo/q_learning.h"
#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/nn/composed/dpg_network.h"
#include "tandem/nn/composed/lstm_network.h"
#include "tandem/nn/composed/normalised_network.h"
#include "tandem/nn/composed/separate_network.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/evaluator_options.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/training_context.h"
#include "tests/support/env_around.h"
#include "tests/support/latest_checkpoint.h"
#include "tests/support/linear_network.h"

namespace tandem {

struct Scenario {
  std::filesystem::path folder = {};
  EnvFactory make_env = [](int) { return make_builtin_family()->make("cartpole", 0); };
  std::function<Algorithm()> make_algorithm = [] { return make_a2c({.gamma = 0.99}); };
  std::int64_t steps = 2000;
  int threads = 2;
  bool resume = false;
  double checkpoint_minutes = 10;
  OptimizerConfig optimizer = {.lr = 0.01};
  std::int64_t lstm = 0;       // cells
  bool separate = false;       // separate networks for policy and value
  bool deterministic = false;  // DPG's networks instead of a linear one
  bool normalises = false;     // running statistics of observations, and scaled rewards
  std::function<bool()> stop_requested = [] { return false; };
  bool repeatable = false;  // keeps fingerprints
  std::optional<EvaluatorOptions> evaluation = std::nullopt;
};

/// A linear network of this architecture, with an LSTM if it has one, and two networks if they are
/// separate. A deterministic policy gets DPG's own networks.
inline std::unique_ptr<Network> make_linear_network(const Architecture& architecture,
                                                    std::span<const float> parameters) {
  if (architecture.normalises_inputs && !architecture.deterministic()) {
    return make_normalised_network(architecture, parameters, make_linear_network);
  }
  if (architecture.deterministic()) return make_dpg_network(architecture, parameters);
  if (architecture.separate) {
    return make_separate_network(architecture, parameters, make_linear_network);
  }
  if (architecture.lstm > 0) {
    return make_lstm_network(architecture, parameters, make_linear_network);
  }
  return std::make_unique<LinearNetwork>(architecture, parameters);
}

/// Trains with this system; returns the parameters at the end.
inline std::vector<float> train(const Scenario& scenario,
                                const std::function<void(TrainingContext&)>& system) {
  const EnvSpec spec = scenario.make_env(0)->spec();
  const auto algorithm = scenario.make_algorithm();
  auto architecture = scenario.deterministic
                          ? make_architecture({.arch = "dpg", .init = "ddpg"}, spec)
                          : linear_architecture(spec);
  architecture.lstm = scenario.lstm;
  architecture.separate = architecture.separate || scenario.separate;
  architecture.normalises_inputs = scenario.normalises;
  Learner learner(architecture, scenario.optimizer, 7);
  auto directory = scenario.resume ? RunDirectory::reopen(scenario.folder)
                                   : RunDirectory::create(scenario.folder);
  directory.write_config("");
  std::optional<FoundCheckpoint> found;
  if (scenario.resume) {
    found = latest_of(scenario.folder);
    load_learner(found->checkpoint, learner);
  }
  std::FILE* quiet = std::tmpfile();
  {
    TrainingRun run({.system = "test",
                     .env = "cartpole",
                     .seed = 7,
                     .steps_budget = scenario.steps,
                     .metrics = algorithm.metrics,
                     .checkpoint_minutes = scenario.checkpoint_minutes,
                     .stop_requested = scenario.stop_requested,
                     .repeatable = scenario.repeatable,
                     .progress = quiet,
                     .evaluation = scenario.evaluation},
                    std::move(directory), found ? &*found : nullptr);
    const auto make_network = [&](std::span<const float> parameters) {
      return make_linear_network(architecture, parameters);
    };
    TrainingContext context{
        .actor = make_actor_context(scenario.make_env, spec, make_network, algorithm, 7),
        .algorithm = algorithm,
        .learner = learner,
        .run = run,
        .threads = scenario.threads,
        .resume = found ? &found->checkpoint : nullptr};
    if (scenario.normalises) context.actor.rewards = Rewards::scaled;
    system(context);
    run.finish("");
  }
  std::fclose(quiet);
  const auto parameters = learner.parameters();
  return {parameters.begin(), parameters.end()};
}

/// The result.json of a run.
inline nlohmann::json result_of(const std::filesystem::path& run) {
  return nlohmann::json::parse(std::ifstream(run / "result.json"));
}

/// A run that is stopped before its first step leaves a checkpoint, from which it goes on to its
/// end.
inline void expect_a_stop_at_the_start_to_be_resumable(
    Scenario scenario, const std::function<void(TrainingContext&)>& system) {
  scenario.stop_requested = [] { return true; };
  train(scenario, system);
  ASSERT_TRUE(has_checkpoint(scenario.folder / "checkpoints"));
  scenario.stop_requested = [] { return false; };
  scenario.resume = true;
  train(scenario, system);
  EXPECT_GE(result_of(scenario.folder).at("steps"), scenario.steps);
}

/// The updates of Ape-X's learner in the latest checkpoint of a run.
inline std::int64_t updates_of(const std::filesystem::path& run) {
  const auto found = latest_of(run);
  return found.checkpoint.part("replay_learner").at("updates").get<std::int64_t>();
}

/// A value-based method whose target network is refreshed several times in a short run.
inline std::function<Algorithm()> value_method(QMethod method) {
  return [method] {
    return make_q_learning(method, {.target_frames = 150, .exploration = {.epsilon_frames = 3000}},
                           7, 1);
  };
}

/// The target network's parameters in the latest checkpoint of a run.
inline std::vector<float> target_of(const std::filesystem::path& run) {
  const auto found = latest_of(run);
  const auto target = found.checkpoint.tensor("target");
  return {target.begin(), target.end()};
}

/// CartPole that throws in one of its steps.
class Failing final : public EnvAround {
 public:
  explicit Failing(bool fails, int step = 57) : fails_(fails), step_(step) {}
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    if (fails_ && ++steps_ == step_) throw Error("the pole broke");
    return EnvAround::step(actions, stream, frame);
  }

 private:
  bool fails_;
  int step_;
  int steps_ = 0;
};

/// Expects all numbers in the latest checkpoint of a run to be finite.
inline void expect_finite_checkpoint(const std::filesystem::path& checkpoints) {
  ASSERT_TRUE(has_checkpoint(checkpoints));
  const auto found = find_latest(checkpoints, [](const std::string&) {});
  ASSERT_FALSE(found.checkpoint.tensors.empty());
  for (const auto& [name, tensor] : found.checkpoint.tensors) {
    for (const float value : tensor.values) ASSERT_TRUE(std::isfinite(value)) << name;
  }
}

/// Lets the parameters of a run diverge that has trained well for some steps. Expects an error that
/// leaves a checkpoint of finite numbers.
inline void expect_divergence_to_spoil_no_checkpoint(
    Scenario scenario, const std::function<void(const Scenario&)>& train) {
  const auto steps = std::exchange(scenario.steps, 500);
  train(scenario);
  scenario.steps += steps;
  scenario.resume = true;
  scenario.optimizer.lr = 1e38;
  EXPECT_THROW(train(scenario), Diverged);  // the only error that a sweep survives
  expect_finite_checkpoint(scenario.folder / "checkpoints");
}

/// Expects a run to have written checkpoints on its way, and not only the last one.
inline void expect_checkpoints_on_the_way(const std::filesystem::path& run) {
  const std::filesystem::directory_iterator all(run / "checkpoints");
  EXPECT_GE(std::distance(begin(all), end(all)), 2);
}

}  // namespace tandem
