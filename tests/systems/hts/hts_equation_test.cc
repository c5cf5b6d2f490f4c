// HTS-RL's equation 6, index by index, over a linear network.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tandem/acting/collector.h"
#include "tandem/acting/network_copy.h"
#include "tandem/data/rollout_inputs.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/learn/target.h"
#include "tandem/systems/hts/hts.h"
#include "tests/support/noisy_env.h"
#include "tests/support/scenario.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class HtsEquationTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name) const { return root_.path() / name; }
  static std::vector<float> train(const Scenario& scenario, const HtsConfig& config) {
    return tandem::train(scenario, [&](TrainingContext& context) { train_hts(config, context); });
  }

 private:
  TemporaryFolder root_;
};

/// Computes each sample by itself, as HTS-RL's actors do.
class AloneActor final : public ActorNetwork {
 public:
  explicit AloneActor(Network& network) : network_(network) {}
  [[nodiscard]] const Architecture& architecture() const override {
    return network_.architecture();
  }
  void act(const Inputs& inputs, const Heads& out) override { look(inputs, out); }
  void look(const Inputs& inputs, const Heads& out) override {
    forward_alone(network_, inputs, out);
  }

 private:
  Network& network_;
};

/// Trains literally by equation 6, in one thread.
void train_in_turns(TrainingContext& context, const HtsConfig& config) {
  const auto envs = static_cast<int>(config.envs);
  const auto steps = static_cast<int>(config.rollout_steps());
  const auto each = config.alpha / steps / config.updates;
  const auto theta = context.learner.parameters();  // theta_j
  std::vector<float> acting(theta.begin(), theta.end());
  std::vector<float> before = acting;  // theta_{j-1}
  const auto& loss = context.algorithm.rollout_loss();
  TargetParameters target(theta, loss.needs().target_steps, 0);
  NetworkCopy target_copy(target, context.actor.make_network);
  std::optional<AloneActor> target_actor;
  if (target.exist()) target_actor.emplace(target_copy.network());
  const auto actor = context.actor.make_network(acting);
  const auto learner = context.actor.make_network(before);
  AloneActor acts(*actor);
  Collector collector(VecEnv(context.actor.make_env, {.count = envs, .seed = context.actor.seed}),
                      acts, target_actor ? &*target_actor : nullptr, context.algorithm, steps,
                      RolloutEnd::after_t_max, LastState::looked_at_again, context.actor.rewards);
  collector.start();
  std::vector<Rollout> data;  // collected by theta_{j-1}
  std::vector<std::vector<float>> gradient(1, std::vector<float>(theta.size()));
  Workers workers(1);
  while (!context.run.done()) {
    std::ranges::copy(theta, acting.begin());
    actor->reload();
    target_copy.synchronise();
    std::vector<Rollout> now;
    for (int r = 0; r < config.alpha / steps; ++r) {
      now.push_back(collector.collect(context.run.steps()));
    }
    learner->reload();
    const std::int64_t samples = each * steps * envs;
    auto next = data.begin();
    for (int update = 0; !data.empty() && update < config.updates; ++update) {
      RolloutInputs inputs;
      const auto first = next;
      for (int r = 0; r < each; ++r) inputs.add(*next++);
      HeadsBuffer buffer;
      learner->record(inputs.of(*learner), buffer.of(learner->architecture(), samples));
      learner->backward(
          [&](const Heads& heads, const Heads& out) {
            for (std::int64_t r = 0; r < each; ++r) {
              const std::int64_t count = steps * envs;
              loss.loss(rows_of(heads, r * count, count), first[r],
                        1.0 / static_cast<double>(samples), rows_of(out, r * count, count));
            }
          },
          gradient[0]);
      context.learner.apply(gradient, context.run.steps() + update * samples, workers);
    }
    Pieces observations;
    for (auto& rollout : data) observations.add(rollout.observations(0, steps));
    if (!data.empty()) context.learner.observe(observations.all());
    before = acting;
    data = std::move(now);
    context.run.record({.steps = envs * config.alpha, .episodes = {}});
    target.refresh(context.run.steps(),
                   [&](std::span<float> own) { std::ranges::copy(theta, own.begin()); });
  }
}

// Seen failing with the gradient taken at theta_j.
TEST_F(HtsEquationTest, IsEquationSix) {
  const HtsConfig config = {
      .envs = 6, .executors = 3, .actors = 1, .alpha = 4, .envs_per_group = 6};
  const auto expected = tandem::train({.folder = folder("turns")}, [&](TrainingContext& context) {
    train_in_turns(context, config);
  });
  EXPECT_EQ(train({.folder = folder("hts")}, config), expected);
}

// Section 4.1: "each learner performs one or more forward and backward passes" between two
// synchronisations, all at theta_{j-1}. Seen failing when the second update took its gradient at
// the parameters that the first one had moved, when updates shared rollouts, and when the places of
// activations did not depend on the update.
TEST_F(HtsEquationTest, IsEquationSixWithSeveralUpdatesAndRollouts) {
  for (const int updates : {1, 2, 4}) {
    HtsConfig config = {.envs = 6,
                        .executors = 3,
                        .actors = 1,
                        .alpha = 12,
                        .rollout = 3,
                        .updates = updates,
                        .envs_per_group = 6};
    const auto name = std::to_string(updates);
    const auto expected =
        tandem::train({.folder = folder("turns" + name)},
                      [&](TrainingContext& context) { train_in_turns(context, config); });
    EXPECT_EQ(train({.folder = folder("hts" + name)}, config), expected);
    config.envs_per_group = 2;  // other last bits
    const auto grouped = train({.folder = folder("groups" + name)}, config);
    for (std::size_t i = 0; i < grouped.size(); ++i) {
      ASSERT_NEAR(grouped[i], expected[i], 1e-4) << i;
    }
  }
}

// Seen failing when the states at the beginning of a rollout were left out of the storage.
TEST_F(HtsEquationTest, IsEquationSixForRecurrentAgentsAndValueMethods) {
  const HtsConfig config = {
      .envs = 6, .executors = 3, .actors = 0, .alpha = 4, .envs_per_group = 6};
  const std::vector<std::function<Algorithm()>> algorithms = {[] { return make_a2c({}); },
                                                              value_method(QMethod::n_step_q),
                                                              value_method(QMethod::one_step_q)};
  for (const std::int64_t lstm : {0, 6}) {
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      const auto name = std::to_string(lstm) + "_" + std::to_string(i);
      const auto scenario = [&](const char* kind) {
        return Scenario{
            .folder = folder(kind + name), .make_algorithm = algorithms[i], .lstm = lstm};
      };
      const auto expected = tandem::train(
          scenario("turns"), [&](TrainingContext& context) { train_in_turns(context, config); });
      EXPECT_EQ(train(scenario("hts"), config), expected) << name;
    }
  }
}

// theta_{j+1} has the statistics of the experience of theta_{j-1}; actors' activations and the
// gradient used those of theta_{j-1}. Seen failing when the update came after stage().
TEST_F(HtsEquationTest, IsEquationSixWithStatistics) {
  HtsConfig config = {.envs = 6, .executors = 3, .actors = 1, .alpha = 4, .envs_per_group = 6};
  const auto expected = tandem::train(noisy(folder("turns"), 2400), [](TrainingContext& context) {
    train_in_turns(context,
                   {.envs = 6, .executors = 3, .actors = 1, .alpha = 4, .envs_per_group = 6});
  });
  EXPECT_EQ(train(noisy(folder("hts"), 2400), config), expected);
  config.executors = 2;
  config.actors = 0;
  EXPECT_EQ(train(noisy(folder("own"), 2400), config), expected);
  // The last storage is not learned from.
  expect_noisy_moments(expected, 2400 - 6 * 4);
}

}  // namespace
}  // namespace tandem
