// GA3C's agents and trainers on their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/io/temporary_folder.h"
#include "tandem/systems/common/experience_trainer.h"
#include "tandem/systems/ga3c/ga3c_agent.h"
#include "tests/support/scenario.h"
#include "tests/support/three_steps.h"

namespace tandem {
namespace {

using testing::ElementsAre;

class Ga3cPartsTest : public testing::Test {
 protected:
  std::filesystem::path folder(const std::string& name) const { return root_.path() / name; }

 private:
  TemporaryFolder root_;
};

// An agent that has begun, and the predictor that it asks.
struct Played {
  explicit Played(TrainingContext& context)
      : model(context.learner),
        target(context.learner.parameters(), context.algorithm.rollout_loss().needs().target_steps,
               0),
        policy(context.learner.architecture(), 8, crew.stop_token()),
        agent({.envs = 1}, context.actor, policy, target, 0) {
    crew.spawn("predictor", 1, [this, &context](int) {
      NetworkCopy copy(model, context.actor.make_network);
      BatchedInference::Batch batch;
      for (;;) policy.answer(copy, batch);
    });
    agent.start(nullptr);
  }
  ~Played() { crew.end(); }
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;

  SharedModel model;
  TargetParameters target;
  Crew crew;
  BatchedInference policy;
  Ga3cAgent agent;
};

// The published code leaves the last step of an episode out, and with it Pong's points. Seen
// failing with the last step of each experience left out.
TEST_F(Ga3cPartsTest, TheLastStepOfAnEpisodeAndItsRewardBelongToTheExperience) {
  const Scenario scenario{.folder = folder("run"),
                          .make_env = [](int) { return std::make_unique<ThreeSteps>(1, 1); }};
  train(scenario, [&](TrainingContext& context) {
    Played played(context);
    TrainingQueue queue(1, {});
    std::unique_ptr<Experience> experience;
    for (int episode = 1; episode <= 2; ++episode) {
      played.agent.play(queue, std::move(experience), 0);
      experience = *queue.pop();
      EXPECT_EQ(experience->rollout.steps(), 3);
      EXPECT_THAT(experience->rollout.rewards(), ElementsAre(1, 1, 1));
      EXPECT_THAT(experience->rollout.discounts(), ElementsAre(0.99F, 0.99F, 0));
      ASSERT_EQ(experience->episodes.size(), 1u);
      EXPECT_EQ(experience->episodes[0].episode_return, 3);
      float first = -1;
      std::memcpy(&first, experience->rollout.observations(0).data(), sizeof(first));
      EXPECT_EQ(first, 0);
      // One forward pass for each state; the last one also begins the next rollout.
      EXPECT_EQ(played.policy.take_stats().predictions, episode == 1 ? 4 : 3);
    }
  });
}

// Experiences end in the middle of an episode, and each is written into the one used before.
TEST_F(Ga3cPartsTest, AnExperienceBeginsWhereTheLastOneEnded) {
  const Scenario scenario{.folder = folder("run")};
  train(scenario, [&](TrainingContext& context) {
    Played played(context);
    // An agent that has just begun has no lag, however old the model is.
    std::vector<float> gradient(played.model.size());
    for (int update = 0; update < 7; ++update) played.model.apply({&gradient, 1}, 0);
    TrainingQueue queue(1, {});
    std::unique_ptr<Experience> experience;
    std::vector<std::byte> last;
    for (int i = 0; i < 40; ++i) {
      played.agent.play(queue, std::move(experience), 0);
      experience = *queue.pop();
      EXPECT_EQ(experience->version, 7);
      Rollout& rollout = experience->rollout;
      const auto first = rollout.observations(0);
      EXPECT_TRUE(i == 0 || std::ranges::equal(first, last)) << i;
      const auto seen = rollout.observations(rollout.steps());
      last.assign(seen.begin(), seen.end());
    }
  });
}

// The pass over the last state chooses the first action of the next experience, too, and so its
// model counts. Seen failing with the model of the last action.
TEST_F(Ga3cPartsTest, TheVersionIsThatOfTheModelThatChoseTheFirstAction) {
  const Scenario scenario{.folder = folder("run"),
                          .make_env = [](int) { return std::make_unique<ThreeSteps>(1, 1); }};
  train(scenario, [&](TrainingContext& context) {
    Played played(context);
    const std::vector<float> gradient(played.model.size());
    TrainingQueue queue(1, {});
    const auto version = [&] {
      played.agent.play(queue, nullptr, 0);
      return (*queue.pop())->version;
    };
    EXPECT_EQ(version(), 0);
    played.model.apply({&gradient, 1}, 0);
    EXPECT_EQ(version(), 0);
    EXPECT_EQ(version(), 1);
  });
}

// A target network values the last state, so no action is chosen in advance, and updates while the
// agent waited for the queue do not count. Seen failing with the model of the pass before.
TEST_F(Ga3cPartsTest, TheVersionOfAValueMethodIsThatOfItsFirstAction) {
  const Scenario scenario{.folder = folder("run"),
                          .make_env = [](int) { return std::make_unique<ThreeSteps>(1, 1); },
                          .make_algorithm = value_method(QMethod::n_step_q)};
  train(scenario, [&](TrainingContext& context) {
    Played played(context);
    const std::vector<float> gradient(played.model.size());
    TrainingQueue queue(1, {});
    for (int update = 0; update < 3; ++update) {
      played.agent.play(queue, nullptr, 0);
      EXPECT_EQ((*queue.pop())->version, update);
      played.model.apply({&gradient, 1}, 0);
    }
  });
}

// Seen failing with the lag of the last experience alone.
TEST_F(Ga3cPartsTest, TheLagIsThatOfAllExperiencesOfAnUpdate) {
  const Scenario scenario{.folder = folder("run")};
  train(scenario, [&](TrainingContext& context) {
    SharedModel model(context.learner);
    const std::vector<float> gradient(model.size());
    for (int update = 0; update < 5; ++update) model.apply({&gradient, 1}, 0);
    TrainingQueue queue(2, {});
    for (const int version : {1, 3}) {
      auto experience = std::make_unique<Experience>(Experience{Rollout(context.actor.spec, 4, 1)});
      experience->version = version;
      queue.push(std::move(experience));
    }
    ExperienceTrainer trainer(context, model);
    ASSERT_TRUE(trainer.gather(queue, 8));
    trainer.update(0);
    EXPECT_EQ(trainer.lag(), 4 + 2);
  });
}

// The entropy's factor is that of 500 steps. Seen failing with the gradient of the last experience
// alone, and when the schedule was always asked for step 0.
TEST_F(Ga3cPartsTest, AnUpdateSumsTheGradientsOfItsExperiences) {
  const Scenario scenario{
      .folder = folder("run"),
      .make_algorithm = [] { return make_a2c({.entropy = 0.5, .entropy_steps = 1000}); },
      .optimizer = {.kind = "momentum", .lr = 1, .momentum = 0, .clip_norm = 0}};
  train(scenario, [&](TrainingContext& context) {
    const std::vector<float> before(context.learner.parameters().begin(),
                                    context.learner.parameters().end());
    const auto network = context.actor.make_network(before);
    RecordingActor actor(*network);
    std::vector<float> sum(before.size());
    TrainingQueue queue(4, {});
    for (int env = 0; env < 3; ++env) {
      Collector collector(VecEnv(context.actor.make_env, {.first = env, .seed = 3}), actor, nullptr,
                          context.algorithm, 4);
      collector.start();
      const Rollout& rollout = collector.collect(0);
      queue.push(std::make_unique<Experience>(Experience{rollout}));
      std::vector<float> gradient(before.size());
      network->backward(
          [&](const Heads& heads, const Heads& out) {
            make_a2c({.entropy = 0.25}).rollout_loss().loss(heads, rollout, 1.0, out);
          },
          gradient);
      std::ranges::transform(sum, gradient, sum.begin(), std::plus<>());
    }
    queue.close();
    SharedModel model(context.learner);
    ExperienceTrainer trainer(context, model);
    ASSERT_TRUE(trainer.gather(queue, 12));
    EXPECT_EQ(trainer.update(500).steps, 12);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      EXPECT_NEAR(context.learner.parameters()[i], before[i] - sum[i], 1e-5);
    }
    trainer.batch().clear();
    EXPECT_FALSE(trainer.gather(queue, 12));
  });
}

/// Expects a trainer to overwrite the values of last states with those of its own parameters.
void value_again(const Scenario& scenario) {
  train(scenario, [&](TrainingContext& context) {
    const auto network = context.actor.make_network(context.learner.parameters());
    ForwardActor actor(*network);
    TrainingQueue queue(4, {});
    std::vector<float> worth;
    std::vector<Rollout*> rollouts;
    for (int env = 0; env < 2; ++env) {
      Collector collector(VecEnv(context.actor.make_env, {.first = env, .seed = 3}), actor, nullptr,
                          context.algorithm, 4);
      collector.start();
      auto experience = std::make_unique<Experience>(Experience{collector.collect(0)});
      float& value = experience->rollout.values(4)[0];
      worth.push_back(value);
      value = 1e6F;  // a value of some earlier policy
      rollouts.push_back(&experience->rollout);
      queue.push(std::move(experience));
    }
    queue.close();
    SharedModel model(context.learner);
    ExperienceTrainer trainer(context, model);
    ASSERT_TRUE(trainer.gather(queue, 8));
    trainer.update(0);
    for (std::size_t i = 0; i < worth.size(); ++i) {
      EXPECT_FLOAT_EQ(rollouts[i]->values(4)[0], worth[i]);
    }
  });
}

// A bootstrap from the values that the last states had when they were played would mix two
// policies. Seen failing without revalue_last_states(), and for a recurrent network when its states
// before the last step were taken for those after it.
TEST_F(Ga3cPartsTest, WithACorrectionTheLastStatesAreValuedByTheParametersThatLearn) {
  const auto make = [] { return make_a2c({.correction = "vtrace"}); };
  value_again({.folder = folder("plain"), .make_algorithm = make});
  value_again({.folder = folder("recurrent"), .make_algorithm = make, .lstm = 6});
}

// theta- values what an agent saw, and the model acts. Seen failing without synchronise().
TEST_F(Ga3cPartsTest, WithAValueMethodAnAgentValuesStatesByTheTargetNetwork) {
  const Scenario scenario{.folder = folder("run"),
                          .make_algorithm = value_method(QMethod::n_step_q)};
  train(scenario, [&](TrainingContext& context) {
    Played played(context);
    TrainingQueue queue(1, {});
    std::vector<float> theta(context.learner.parameters().begin(),
                             context.learner.parameters().end());
    for (const float constant : {3.0F, 5.0F}) {
      // The values of all actions are a constant, the policy head's biases, which follow the
      // weights of two actions and four inputs.
      std::ranges::fill(theta, 0.0F);
      std::fill_n(&theta[8], 2, constant);
      played.target.refresh(1'000'000 * static_cast<std::int64_t>(constant),
                            [&](std::span<float> own) { std::ranges::copy(theta, own.begin()); });
      played.agent.play(queue, nullptr, 0);
      const auto experience = *queue.pop();
      EXPECT_THAT(experience->rollout.values(experience->rollout.steps()), ElementsAre(constant));
    }
  });
}
}  // namespace
}  // namespace tandem
