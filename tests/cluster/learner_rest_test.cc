#include "tandem/cluster/learner_rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tandem/io/temporary_folder.h"
#include "tests/cluster/evaluated_run.h"

namespace tandem {
namespace {

/// A run of 400 steps whose 200th has been counted, so that an evaluation is due. While its learner
/// rests for the evaluation, `meanwhile` makes a checkpoint due. Returns the steps that were
/// evaluated.
std::vector<std::int64_t> evaluated_steps(bool& stop,
                                          const std::function<void(TrainingRun&)>& meanwhile) {
  const TemporaryFolder root;
  std::atomic<int> plays = 0;
  const Scenario scenario{
      .folder = root.path() / "run", .steps = 400, .stop_requested = [&] { return stop; }};
  return train_evaluated(scenario, plays, [&](TrainingContext& context) {
    ActorRoll roll({}, 0, 1, [](const ActorPlayed&, std::int64_t) {});
    Crew crew;
    FairMutex updating;
    LearnerRest rest(context, roll, crew, updating);
    context.run.record({.steps = 200});
    rest.begin();
    EXPECT_FALSE(rest.has_states());
    meanwhile(context.run);
    Checkpoint without_states;
    EXPECT_EQ(context.run.stamp(without_states, rest.has_states()), std::nullopt);
    rest.end();
    EXPECT_TRUE(context.run.write_due());
    rest.begin();
    EXPECT_TRUE(rest.has_states());
    Checkpoint checkpoint;
    EXPECT_EQ(context.run.stamp(checkpoint, rest.has_states()), context.run.steps());
    rest.end();
  });
}

// Otherwise a checkpoint would be written that lacks the actors' states.
TEST(LearnerRest, ACheckpointThatBecomesDueInARestForAnEvaluationComesNext) {
  bool stop = false;
  EXPECT_THAT(evaluated_steps(stop, [&](TrainingRun&) { stop = true; }), testing::IsEmpty());
  stop = false;
  const auto evaluated =
      evaluated_steps(stop, [](TrainingRun& run) { run.record({.steps = 200}); });
  EXPECT_THAT(evaluated, testing::ElementsAre(400));
}

}  // namespace
}  // namespace tandem
