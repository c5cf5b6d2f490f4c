#include "tandem/cluster/actor_roll.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"

namespace tandem {
namespace {

// Seen failing: the second resume began the actor's games anew.
TEST(ActorRoll, KeepsTheSavedGamesOfAnActorThatIsNotBackYet) {
  Checkpoint resume;
  resume.add_blob("actor_1", {std::byte{7}});
  const ActorRoll roll({.run = 1, .epoch = 1}, 2, 1, [](const ActorPlayed&, std::int64_t) {});
  Checkpoint checkpoint;
  roll.save(&resume, checkpoint);
  EXPECT_TRUE(checkpoint.blobs.contains("actor_1"));
  EXPECT_FALSE(checkpoint.blobs.contains("actor_0"));
}

/// A report of actor 1.
std::vector<std::byte> report_of(std::uint64_t sequence, std::uint64_t number,
                                 const std::vector<std::byte>& state) {
  MessageWriter writer({.run = 1, .epoch = 1, .part = kFirstActorPart + 1, .incarnation = 1},
                       Verb::report, sequence);
  ActorPlayed{.steps = 5}.save(writer.content());
  writer.content().put(std::int64_t{0});  // the version of its parameters
  writer.content().put(std::int64_t{1});  // rounds
  writer.content().put(number);
  writer.content().put_bytes(state);
  return std::move(writer).seal();
}

// Seen failing: an actor that had reported and sent no state yet lost the one of the resumption.
TEST(ActorRoll, KeepsTheSavedGamesOfAnActorThatHasSentNone) {
  Checkpoint resume;
  resume.add_blob("actor_1", {std::byte{7}});
  std::int64_t steps = 0;
  ActorRoll roll({.run = 1, .epoch = 1}, 2, 1,
                 [&](const ActorPlayed& played, std::int64_t) { steps += played.steps; });
  const auto saved = [&] {
    Checkpoint checkpoint;
    roll.save(&resume, checkpoint);
    return checkpoint.blobs.at("actor_1");
  };
  const auto first = report_of(1, 0, {});
  roll.hear(open_message(first));
  EXPECT_EQ(saved(), std::vector<std::byte>{std::byte{7}});
  roll.want_states();
  const auto second = report_of(2, 1, {std::byte{8}});
  roll.hear(open_message(second));
  EXPECT_EQ(saved(), std::vector<std::byte>{std::byte{8}});
  EXPECT_EQ(steps, 10);
}

// The actor has spoken, and sends no state.
TEST(ActorRoll, AStopEndsTheWaitForStates) {
  ActorRoll roll({.run = 1, .epoch = 1}, 2, 1, [](const ActorPlayed&, std::int64_t) {});
  const auto report = report_of(1, 0, {});
  roll.hear(open_message(report));
  std::stop_source stop;
  stop.request_stop();
  const Stopwatch watch;
  roll.gather_states(stop.get_token());
  EXPECT_LT(watch.seconds(), 5);
  EXPECT_EQ(roll.states_wanted(), 1U);
}

}  // namespace
}  // namespace tandem
