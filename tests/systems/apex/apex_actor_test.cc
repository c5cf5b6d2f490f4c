#include "tandem/systems/apex/apex_actor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "tandem/algo/dqn.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/learn/shared_model.h"
#include "tests/support/scenario.h"
#include "tests/support/three_steps.h"
#include "tests/support/wrapped_rule.h"

namespace tandem {
namespace {

using testing::ElementsAre;

constexpr int kActorEnvs = 2;

class ApexActorTest : public testing::Test {
 protected:
  /// Passes to `body` a maker of actors, each with two environments whose episodes have three
  /// steps.
  void with_actors(const std::function<void(const std::function<ApexActor()>&)>& body) {
    const Scenario scenario{
        .folder = root_.path() / "run",
        .make_env = [](int index) { return std::make_unique<ThreeSteps>(index, 1); },
        .make_algorithm =
            [&] {
              auto algorithm = make_dqn({}, kActorEnvs, true);
              rule_ = std::make_shared<const EpisodeRule>(algorithm.acting);
              algorithm.acting = rule_;
              return algorithm;
            }};
    tandem::train(scenario, [&](TrainingContext& context) {
      const SharedModel model(context.learner);
      const auto format = frame_format(context.actor.make_env(0)->spec(), Compression::none);
      body([&] { return ApexActor({.envs = kActorEnvs, .format = format}, context.actor, model); });
    });
  }

  /// Takes an actor's next step; returns the epsilons by which it acted.
  std::vector<float> epsilons(ApexActor& actor) {
    std::vector<std::unique_ptr<Segment>> full;
    actor.step(full);
    return rule_->last();
  }

 private:
  std::shared_ptr<const EpisodeRule> rule_;
  TemporaryFolder root_;
};

// Seen failing when epsilons followed steps instead of episodes, and when save() left out the
// numbers of episodes.
TEST_F(ApexActorTest, ExploresByTheNumberOfTheEpisodeAlsoFromACheckpoint) {
  with_actors([&](const std::function<ApexActor()>& make) {
    auto actor = make();
    actor.start();
    for (int step = 0; step < 7; ++step) {
      const int before = step / 3;  // episodes
      const auto episode = static_cast<float>(before);
      EXPECT_THAT(epsilons(actor), ElementsAre(episode, episode)) << step;
    }
    StateWriter writer;
    actor.save(writer);
    auto other = make();
    StateReader reader(writer.bytes());
    other.load(reader);
    EXPECT_TRUE(reader.at_end());
    EXPECT_THAT(epsilons(other), ElementsAre(2, 2));
  });
}

// Seen failing when load() required the numbers of episodes.
TEST_F(ApexActorTest, GoesOnFromAStateWithoutNumbersOfEpisodes) {
  with_actors([&](const std::function<ApexActor()>& make) {
    auto actor = make();
    actor.start();
    for (int step = 0; step < 7; ++step) epsilons(actor);
    StateWriter writer;
    actor.save(writer);
    constexpr std::size_t kNumbers = sizeof(std::uint64_t) + kActorEnvs * sizeof(std::int64_t);
    auto other = make();
    StateReader reader(std::span(writer.bytes()).first(writer.bytes().size() - kNumbers));
    other.load(reader);
    EXPECT_TRUE(reader.at_end());
    EXPECT_THAT(epsilons(other), ElementsAre(0, 0));
    epsilons(other);
    EXPECT_THAT(epsilons(other), ElementsAre(1, 1));
  });
}

}  // namespace
}  // namespace tandem
