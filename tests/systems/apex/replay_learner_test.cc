// ReplayLearner alone, with DQN and with DPG.
#include "tandem/systems/apex/replay_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tandem/algo/dpg.h"
#include "tandem/algo/dqn.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/systems/common/learner_state.h"
#include "tests/support/scenario.h"

namespace tandem {
namespace {

constexpr std::int64_t kTargetUpdates = 2;

std::unique_ptr<Env> make_env(const std::string& algo) {
  return make_builtin_family()->make(algo == "dpg" ? "pendulum" : "cartpole", 0);
}

/// A batch of pseudo-random numbers: states between -1 and 1, actions within Pendulum's bounds.
SampleBatch make_batch(const std::string& algo, std::size_t size) {
  SampleBatch batch(frame_format(make_env(algo)->spec(), Compression::none), size);
  Stream stream(3, 1);
  for (auto* observations : {&batch.observations, &batch.next_observations}) {
    for (std::size_t i = 0; i < observations->size(); i += sizeof(float)) {
      const float value = 2 * stream.uniform() - 1;
      std::memcpy(observations->data() + i, &value, sizeof(float));
    }
  }
  for (float& control : batch.controls) control = 4 * stream.uniform() - 2;
  for (std::size_t i = 0; i < size; ++i) {
    batch.actions[i] = static_cast<int>(stream.below(2));
    batch.n_step_returns[i] = stream.uniform();
    batch.discounts[i] = i % 3 == 0 ? 0 : 0.97F;
    batch.weights[i] = stream.uniform();
  }
  return batch;
}

/// A learner under test, with its context.
struct Trial {
  TrainingContext& context;
  ReplayLearner& learner;

  [[nodiscard]] std::vector<float> model() const {
    const auto values = context.learner.parameters();
    return {values.begin(), values.end()};
  }

  [[nodiscard]] Checkpoint saved() const {
    Checkpoint checkpoint;
    save_learner(context.learner, checkpoint);
    learner.save(checkpoint);
    return checkpoint;
  }

  [[nodiscard]] std::vector<float> target() const {
    const auto checkpoint = saved();
    const auto values = checkpoint.tensor("target");
    return {values.begin(), values.end()};
  }
};

class ReplayLearnerTest : public testing::TestWithParam<const char*> {
 protected:
  using Body = std::function<void(Trial)>;

  [[nodiscard]] std::string algo() const { return GetParam(); }

  /// The parameters after `body` has used a learner.
  std::vector<float> parameters_after(int threads, const Body& body,
                                      const Checkpoint* resume = nullptr) {
    const bool dpg = algo() == "dpg";
    Scenario scenario{.folder = root_.path() / std::to_string(++runs_),
                      .make_env = [this](int) { return make_env(algo()); },
                      .threads = threads,
                      .deterministic = dpg};
    scenario.make_algorithm = [this, dpg] {
      return dpg ? make_dpg(dpg_, make_env("dpg")->spec()) : make_dqn(dqn_, 1, true);
    };
    return tandem::train(scenario, [&](TrainingContext& context) {
      if (resume != nullptr) {
        load_learner(*resume, context.learner);
        context.resume = resume;
      }
      SharedModel model(context.learner);
      ReplayLearner learner(context.algorithm.replay(), context, model, threads);
      body({context, learner});
    });
  }

 private:
  const DqnConfig dqn_ = {.target_updates = kTargetUpdates};
  const DpgConfig dpg_ = {.target_updates = kTargetUpdates};
  TemporaryFolder root_;
  int runs_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Algorithms, ReplayLearnerTest, testing::Values("dqn", "dpg"),
                         [](const auto& param) { return std::string(param.param); });

// The gradient is a mean over the batch. Seen failing with the sum.
TEST_P(ReplayLearnerTest, ABatchWithEachSampleTwiceHasTheSameGradient) {
  auto once = make_batch(algo(), 4);
  auto twice = make_batch(algo(), 8);
  const auto repeat = [](const auto& from, auto& to) {
    ASSERT_EQ(to.size(), 2 * from.size());
    std::ranges::copy(from, to.begin());
    std::ranges::copy(from, to.begin() + std::ssize(from));
  };
  repeat(once.observations, twice.observations);
  repeat(once.next_observations, twice.next_observations);
  repeat(once.actions, twice.actions);
  repeat(once.controls, twice.controls);
  repeat(once.n_step_returns, twice.n_step_returns);
  repeat(once.discounts, twice.discounts);
  repeat(once.weights, twice.weights);
  const auto norm_of = [&](SampleBatch& batch) {
    double norm = 0;
    (void)parameters_after(
        1, [&](Trial trial) { norm = trial.learner.update(batch, 0).gradient_norm; });
    return norm;
  };
  const double norm = norm_of(once);
  EXPECT_NEAR(norm_of(twice), norm, 1e-4 * norm);
}

// Seen failing when each thread's part of the batch was weighted as a whole batch.
TEST_P(ReplayLearnerTest, ManyThreadsMakeTheUpdateOfOne) {
  std::vector<std::vector<float>> parameters;
  std::vector<std::vector<float>> priorities;
  for (const int threads : {1, 3, 8}) {
    auto batch = make_batch(algo(), 7);
    parameters.push_back(parameters_after(threads, [&](Trial trial) {
      for (int i = 0; i < 3; ++i) {
        const auto report = trial.learner.update(batch, 0);
        EXPECT_EQ(report.loss.samples, 7);
        EXPECT_GT(report.gradient_norm, 0);
      }
      EXPECT_EQ(trial.learner.updates(), 3);
    }));
    priorities.push_back(batch.priorities);
  }
  for (std::size_t k = 1; k < parameters.size(); ++k) {
    for (std::size_t i = 0; i < parameters[0].size(); ++i) {
      EXPECT_NEAR(parameters[k][i], parameters[0][i], 1e-5) << k << " " << i;
    }
    for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(priorities[k][i], priorities[0][i], 1e-5);
  }
}

// Seen failing with target networks copied before the update.
TEST_P(ReplayLearnerTest, TheTargetNetworksAreTheModelOfEverySoManyUpdates) {
  auto batch = make_batch(algo(), 4);
  parameters_after(1, [&](Trial trial) {
    const auto first = trial.target();
    EXPECT_EQ(first, trial.model());
    trial.learner.update(batch, 0);
    EXPECT_EQ(trial.target(), first);
    EXPECT_NE(trial.model(), first);
    trial.learner.update(batch, 0);
    EXPECT_EQ(trial.target(), trial.model());
    trial.learner.update(batch, 0);
    EXPECT_NE(trial.target(), trial.model());
  });
}

// A resumed learner gives the bits of an uninterrupted one; the target networks are copied after
// the resume. Seen failing without the target in the checkpoint, and without the number of updates.
TEST_P(ReplayLearnerTest, GoesOnFromACheckpoint) {
  auto batch = make_batch(algo(), 4);
  std::optional<Checkpoint> checkpoint;
  std::vector<float> target;
  const auto whole = parameters_after(1, [&](Trial trial) {
    for (int i = 0; i < 3; ++i) trial.learner.update(batch, 0);
    checkpoint = trial.saved();
    for (int i = 0; i < 2; ++i) trial.learner.update(batch, 0);
    target = trial.target();
  });
  const auto resumed = parameters_after(
      1,
      [&](Trial trial) {
        EXPECT_EQ(trial.learner.updates(), 3);
        for (int i = 0; i < 2; ++i) trial.learner.update(batch, 0);
        EXPECT_EQ(trial.target(), target);
      },
      &*checkpoint);
  EXPECT_EQ(resumed, whole);
}

TEST_P(ReplayLearnerTest, SaysWhatItLearnedFromAndGivesNewPriorities) {
  auto batch = make_batch(algo(), 6);
  parameters_after(2, [&](Trial trial) {
    const auto report = trial.learner.update(batch, 0);
    EXPECT_EQ(report.loss.samples, 6);
    EXPECT_NEAR(report.learning_rate, 0.01, 1e-9);
    double squares = 0;
    for (const float priority : batch.priorities) squares += std::pow(priority, 2);
    EXPECT_GT(squares, 0);
    if (algo() == "dpg") {
      EXPECT_NEAR(squares, report.loss.value_loss, 1e-5);
    }
  });
}

using ReplayedDpgTest = ReplayLearnerTest;
INSTANTIATE_TEST_SUITE_P(Algorithms, ReplayedDpgTest, testing::Values("dpg"));

/// The sum of q(S_t, pi(S_t)) under the parameters `theta`.
double worth(const Architecture& architecture, std::span<const float> theta,
             const SampleBatch& batch) {
  const auto network = make_dpg_network(architecture, theta);
  std::vector<float> actions(batch.size);
  std::vector<float> values(batch.size);
  network->forward({batch.observations},
                   {static_cast<std::int64_t>(batch.size), 1, actions, values});
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The critic from before the update judges both policies. Seen failing with the sign of the
// policy's gradient reversed.
TEST_P(ReplayedDpgTest, ThePolicyAscendsAndTheCriticsErrorFalls) {
  auto batch = make_batch(algo(), 16);
  std::ranges::fill(batch.weights, 1.0F);
  parameters_after(1, [&](Trial trial) {
    const auto& architecture = trial.context.learner.architecture();
    const auto before = trial.model();
    const double error = trial.learner.update(batch, 0).loss.value_loss;
    auto policy_moved = trial.model();
    const auto policy = static_cast<std::ptrdiff_t>(architecture.policy_part().parameter_count());
    std::copy(before.begin() + policy, before.end(), policy_moved.begin() + policy);
    EXPECT_GT(worth(architecture, policy_moved, batch), worth(architecture, before, batch));
    EXPECT_LT(trial.learner.update(batch, 0).loss.value_loss, error);  // by the same targets
  });
}

}  // namespace
}  // namespace tandem
