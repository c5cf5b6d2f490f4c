// What Ape-X DPG learns from the replay, by itself.
#include "tandem/systems/dpg_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "tandem/env/builtin.h"
#include "tandem/nn/network.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/temporary_folder.h"

namespace tandem {
namespace {

EnvSpec pendulum() { return make_builtin_family()->make("pendulum", 0)->spec(); }

/// Of numbers that look random, actions between Pendulum's bounds.
SampleBatch make_batch(std::size_t size) {
  SampleBatch batch(frame_format(pendulum(), Compression::none), size);
  Stream stream(3, 1);
  for (auto* observations : {&batch.observations, &batch.next_observations}) {
    for (std::size_t i = 0; i < observations->size(); i += sizeof(float)) {
      const float value = 2 * stream.uniform() - 1;
      std::memcpy(observations->data() + i, &value, sizeof(float));
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    batch.controls[i] = 4 * stream.uniform() - 2;
    batch.n_step_returns[i] = stream.uniform();
    batch.discounts[i] = i % 3 == 0 ? 0 : 0.97F;
    batch.weights[i] = stream.uniform();
  }
  return batch;
}

/// A model of its own with what a learner of it is made from.
class Trial {
 public:
  explicit Trial(const Checkpoint* resume = nullptr)
      : algorithm_(make_dpg(kConfig, pendulum())),
        learner_(make_architecture({.arch = "dpg", .init = "ddpg"}, pendulum()),
                 {.kind = "adam", .lr = 1e-3, .epsilon = 1e-8, .clip_norm = 0}, 7),
        run_({.system = "test", .env = "pendulum", .progress = nullptr},
             RunDirectory::create(folder_.path() / "run")),
        model_(learner_) {
    if (resume != nullptr) load_learner(*resume, learner_);
    const Parts parts{.make_env = [](int) { return make_builtin_family()->make("pendulum", 0); },
                      .make_network =
                          [this](std::span<const float> values) {
                            return make_dpg_network(learner_.architecture(), values);
                          },
                      .algorithm = *algorithm_,
                      .learner = learner_,
                      .run = run_,
                      .resume = resume};
    dpg_ = std::make_unique<DpgLearner>(kConfig, parts, model_);
  }

  [[nodiscard]] DpgLearner& dpg() { return *dpg_; }

  [[nodiscard]] std::vector<float> theta() {
    const auto values = learner_.parameters();
    return {values.begin(), values.end()};
  }

  [[nodiscard]] std::vector<float> target() {
    const auto checkpoint = saved();
    const auto values = checkpoint.tensor("target");
    return {values.begin(), values.end()};
  }

  [[nodiscard]] Checkpoint saved() {
    Checkpoint checkpoint;
    save_learner(learner_, checkpoint);
    dpg_->save(checkpoint);
    return checkpoint;
  }

  [[nodiscard]] const Architecture& architecture() { return learner_.architecture(); }

  /// The sum of q(S_t, pi(S_t)) by these parameters.
  [[nodiscard]] double worth(std::span<const float> theta, const SampleBatch& batch) {
    const auto network = make_dpg_network(architecture(), theta);
    std::vector<float> actions(batch.size);
    std::vector<float> values(batch.size);
    network->forward({batch.observations},
                     {static_cast<std::int64_t>(batch.size), 1, actions, values});
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

 private:
  static inline const DpgConfig kConfig = {.target_updates = 2};
  TemporaryFolder folder_;
  std::unique_ptr<Algorithm> algorithm_;
  Learner learner_;
  TrainingRun run_;
  SharedModel model_;
  std::unique_ptr<DpgLearner> dpg_;
};

// Seen failing with a target that is never copied, and with one that each update copies.
TEST(DpgLearner, TheTargetNetworksAreTheModelOfEverySoManyUpdates) {
  Trial trial;
  auto batch = make_batch(4);
  const auto first = trial.target();
  EXPECT_EQ(first, trial.theta());
  trial.dpg().update(batch, 0);
  EXPECT_EQ(trial.target(), first);
  EXPECT_NE(trial.theta(), first);
  trial.dpg().update(batch, 0);
  EXPECT_EQ(trial.target(), trial.theta());
  trial.dpg().update(batch, 0);
  EXPECT_NE(trial.target(), trial.theta());
  EXPECT_EQ(trial.dpg().updates(), 3);
}

TEST(DpgLearner, SaysWhatItLearnedFromAndGivesNewPriorities) {
  Trial trial;
  auto batch = make_batch(6);
  const auto report = trial.dpg().update(batch, 0);
  EXPECT_EQ(report.loss.samples, 6);
  EXPECT_GT(report.gradient_norm, 0);
  EXPECT_NEAR(report.learning_rate, 1e-3, 1e-9);
  double squares = 0;
  for (const float priority : batch.priorities) squares += std::pow(priority, 2);
  EXPECT_NEAR(squares, report.loss.value_loss, 1e-5);
}

// The bits of a learner that was never interrupted, over a copy of the target networks.
// Seen failing without the target, and without the number of updates.
TEST(DpgLearner, GoesOnFromACheckpoint) {
  Trial whole;
  auto batch = make_batch(4);
  for (int i = 0; i < 3; ++i) whole.dpg().update(batch, 0);
  const auto checkpoint = whole.saved();
  Trial resumed(&checkpoint);
  EXPECT_EQ(resumed.dpg().updates(), 3);
  for (int i = 0; i < 2; ++i) {
    whole.dpg().update(batch, 0);
    resumed.dpg().update(batch, 0);
    EXPECT_EQ(resumed.theta(), whole.theta()) << i;
    EXPECT_EQ(resumed.target(), whole.target()) << i;
  }
}

// By the critic as it was. Seen failing with the policy's gradient the other way round.
TEST(DpgLearner, ThePolicyAscendsAndTheCriticsErrorFalls) {
  Trial trial;
  auto batch = make_batch(16);
  std::ranges::fill(batch.weights, 1.0F);
  const auto before = trial.theta();
  const double error = trial.dpg().update(batch, 0).loss.value_loss;
  auto policy_moved = trial.theta();
  const auto policy =
      static_cast<std::ptrdiff_t>(trial.architecture().policy_part().parameter_count());
  std::copy(before.begin() + policy, before.end(), policy_moved.begin() + policy);
  EXPECT_GT(trial.worth(policy_moved, batch), trial.worth(before, batch));
  EXPECT_LT(trial.dpg().update(batch, 0).loss.value_loss, error);  // the target is the same
}

}  // namespace
}  // namespace tandem
