// What learns from the replay, by itself.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tandem/learn/shared_model.h"
#include "tandem/run/temporary_folder.h"
#include "tandem/systems/apex.h"
#include "tests/support/scenario.h"

namespace tandem {
namespace {

/// Numbers between -1 and 1 that look random.
SampleBatch make_batch(std::size_t size) {
  const auto spec = make_builtin_family()->make("cartpole", 0)->spec();
  SampleBatch batch(frame_format(spec, Compression::none), size);
  Stream stream(3, 1);
  for (auto* observations : {&batch.observations, &batch.next_observations}) {
    for (std::size_t i = 0; i < observations->size(); i += sizeof(float)) {
      const float value = 2 * stream.uniform() - 1;
      std::memcpy(observations->data() + i, &value, sizeof(float));
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    batch.actions[i] = static_cast<int>(stream.below(2));
    batch.n_step_returns[i] = stream.uniform();
    batch.discounts[i] = i % 3 == 0 ? 0 : 0.97F;
    batch.weights[i] = stream.uniform();
  }
  return batch;
}

class DqnLearnerTest : public testing::Test {
 protected:
  using Body = std::function<void(Parts&, SharedModel&, ReplayLearner&)>;

  /// The parameters after what is done with a learner.
  std::vector<float> parameters_after(int threads, const Body& body) {
    Scenario scenario{.folder = root_.path() / std::to_string(++runs_), .threads = threads};
    scenario.make_algorithm = [this] { return make_dqn(dqn_, 1, true); };
    return tandem::train(scenario, [&](Parts& parts) {
      SharedModel model(parts.learner);
      const auto learner = dqn_rules(dqn_).make_learner(parts, model);
      body(parts, model, *learner);
    });
  }

  const DqnConfig dqn_ = {.target_updates = 2};

 private:
  TemporaryFolder root_;
  int runs_ = 0;
};

// Seen failing with each thread's part of the batch weighing as a batch of its own.
TEST_F(DqnLearnerTest, ManyThreadsMakeTheUpdateOfOne) {
  std::vector<std::vector<float>> parameters;
  std::vector<std::vector<float>> priorities;
  for (const int threads : {1, 3, 8}) {
    auto batch = make_batch(7);
    parameters.push_back(
        parameters_after(threads, [&](Parts&, SharedModel&, ReplayLearner& learner) {
          for (int i = 0; i < 3; ++i) {
            const auto report = learner.update(batch, 0);
            EXPECT_EQ(report.loss.samples, 7);
            EXPECT_GT(report.gradient_norm, 0);
          }
          EXPECT_EQ(learner.updates(), 3);
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

// Every second update here. Seen failing with the target network copied before the update.
TEST_F(DqnLearnerTest, TheTargetNetworkIsTheModelOfEverySoManyUpdates) {
  auto batch = make_batch(4);
  parameters_after(1, [&](Parts& parts, SharedModel&, ReplayLearner& learner) {
    const auto target = [&] {
      Checkpoint checkpoint;
      learner.save(checkpoint);
      const auto values = checkpoint.tensors.begin()->second.values;
      return std::vector<float>(values.begin(), values.end());
    };
    const auto model = [&] {
      const auto values = parts.learner.parameters();
      return std::vector<float>(values.begin(), values.end());
    };
    const auto first = target();
    learner.update(batch, 0);
    EXPECT_EQ(target(), first);
    EXPECT_NE(model(), first);
    learner.update(batch, 0);
    EXPECT_EQ(target(), model());
    learner.update(batch, 0);
    EXPECT_NE(target(), model());
  });
}

}  // namespace
}  // namespace tandem
