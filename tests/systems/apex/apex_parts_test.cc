// Parts of Ape-X that need no threads.
#include "tandem/systems/apex/apex_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tandem/algo/dqn.h"
#include "tandem/base/error.h"
#include "tandem/systems/apex/apex_seat.h"
#include "tandem/systems/apex/replay_budget.h"
#include "tandem/systems/apex/returns_by_epsilon.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Seen failing when the state was left out, and when a place whose actor had failed kept its old
// one.
TEST(ApexSeat, KeepsTheStateOfAnActorThatHasNotBegunAgain) {
  const auto fails = [](const ApexActorOptions&) -> std::unique_ptr<ApexActor> {
    throw Error("planned");
  };
  Checkpoint before;
  before.add_blob("actor_0", std::vector<std::byte>{std::byte{7}});
  ApexSeat seat({}, 2, fails);
  const Lock lock(seat);
  Checkpoint now;
  seat.save(&before, "actor_0", now);
  EXPECT_EQ(now.blobs, before.blobs);
  seat.step();  // fails, and so does its successor. The next step may be after a stop.
  Checkpoint later;
  seat.save(&before, "actor_0", later);
  EXPECT_FALSE(later.blobs.contains("actor_0"));
  EXPECT_THROW(seat.step(), Error);
}

// The draws of those that failed could fail again.
TEST(ApexSeat, ASuccessorAfterAResumeHasANewSeedThoughNoActorWasThere) {
  std::vector<std::uint64_t> seeds;
  const auto fails = [&](const ApexActorOptions& options) -> std::unique_ptr<ApexActor> {
    seeds.push_back(options.seed);
    throw Error("planned");
  };
  Checkpoint checkpoint;
  {
    ApexSeat seat({.seed = 5}, 2, fails);
    const Lock lock(seat);
    seat.step();  // fails, and so does its successor
    seat.save(nullptr, "actor_0", checkpoint);
  }
  ApexSeat seat({.seed = 5}, 2, fails);
  const Lock lock(seat);
  Checkpoint kept;  // as written before the actor has begun again
  seat.save(&checkpoint, "actor_0", kept);
  EXPECT_EQ(kept.blobs, checkpoint.blobs);
  seat.load(checkpoint, "actor_0");
  seat.step();
  EXPECT_THAT(seeds, ElementsAre(5U, 6U, 7U, 8U));
}

// A successor would act by the same parameters.
TEST(ApexSeat, NobodySucceedsAnActorWhoseParametersDiverged) {
  int made = 0;
  const auto diverges = [&](const ApexActorOptions&) -> std::unique_ptr<ApexActor> {
    ++made;
    throw Diverged("planned");
  };
  ApexSeat seat({}, 2, diverges);
  const Lock lock(seat);
  EXPECT_THROW(seat.step(), Diverged);
  EXPECT_EQ(made, 1);
}

TEST(ApexParts, AnEpisodeOfSeveralAgentsHasNoEpsilon) {
  const auto dqn = make_dqn({}, 6, true);
  EXPECT_EQ(epsilons_of({.actors = 2, .envs = 3}, {}, *dqn.acting).size(), 6U);
  EXPECT_TRUE(epsilons_of({.actors = 2, .envs = 3}, {.agents = 3}, *dqn.acting).empty());
}

// Seen failing with transitions of one step.
TEST(ApexParts, AnActorPlaysByTheConfig) {
  const auto dqn = make_dqn({.gamma = 0.9}, 9, true);
  const EnvSpec spec{.frame_shape = {4}, .num_actions = 2, .frames_per_step = 4};
  const auto context = make_actor_context({}, spec, {}, dqn, 5);
  const ReplayConfig replay{.compression = "lz4", .segment = 7};
  ApexConfig config{.envs = 3, .n = 5, .refresh_frames = 400};
  const auto options = actor_options(config, replay, context, spec, 2);
  EXPECT_EQ(options.first_env, 6);
  EXPECT_EQ(options.envs, 3);
  EXPECT_EQ(options.seed, 5U);
  EXPECT_EQ(options.refresh_steps, 100);
  EXPECT_EQ(options.format.compression, Compression::lz4);
  EXPECT_EQ(options.transitions.n, 5);
  EXPECT_EQ(options.transitions.gamma, 0.9);
  EXPECT_EQ(options.transitions.transitions, 7U);
  EXPECT_EQ(refresh_steps({.refresh_frames = 3}, spec), 1);
  config.lockstep = true;  // an actor looks in each round
  EXPECT_EQ(actor_options(config, replay, context, spec, 2).refresh_steps, 1);
}

TEST(ReplayMemory, AFullReplayMustFit) {
  const ReplayConfig config = {.capacity = 1'000'000};
  EXPECT_NO_THROW(require_memory(config, 8'000, 0, 9'000'000'000));
  EXPECT_NO_THROW(require_memory(config, 8'000, 0, std::nullopt));
  // The memory that the replay already holds counts as available.
  EXPECT_NO_THROW(require_memory(config, 8'000, 5e9, 4'000'000'000));
}

TEST(ReplayMemory, TheErrorSaysWhatIsNeededAndWhatFits) {
  const ReplayConfig config = {.capacity = 2'000'000, .compression = "none"};
  EXPECT_THAT(error_of([&] { require_memory(config, 8'000, 0, 4'000'000'000); }),
              AllOf(HasSubstr("16.0 GB"), HasSubstr("3.6 GB"),
                    HasSubstr("replay.capacity to 450000"), HasSubstr("lz4")));
}

// 50 transitions of 3 steps with a stack of 4 span 50 + 4 - 1 + 3 frames.
TEST(ReplayMemory, CountsAFrameOnce) {
  const FrameFormat format{.frame_bytes = 7056, .stack = 4};
  const double bytes = raw_bytes_per_transition({.segment = 50}, format, 3);
  EXPECT_GT(bytes, 7056 * 56 / 50.0);
  EXPECT_LT(bytes, 7056 * 56 / 50.0 + 200);
}

// Random removal keeps a segment of 4 transitions for 1 + 1/2 + 1/3 + 1/4 times as long as one of
// its transitions, on average.
TEST(ReplayMemory, RemovalByChanceLeavesSegmentsHalfEmpty) {
  const FrameFormat format{.frame_bytes = 7056, .stack = 1};
  const double whole = raw_bytes_per_transition({.segment = 4}, format, 1);
  const double by_chance =
      raw_bytes_per_transition({.remover = "inverse_priority", .segment = 4}, format, 1);
  EXPECT_NEAR(by_chance / whole, 25.0 / 12, 0.02);
  EXPECT_NEAR(raw_bytes_per_transition({.segment = 4}, format, 1, 8) / whole, 0.125, 0.01);
}

// Seen failing without the check.
TEST(ReplayMemory, BatchesDrawnAheadMustFit) {
  const FrameFormat format{.frame_bytes = 7056, .stack = 4};
  // The rest is for the replay.
  EXPECT_EQ(require_memory_for_batches(format, 512, 18, 1'000'000'000),
            1'000'000'000 - 18 * 512 * 2 * 4 * 7056);
  EXPECT_EQ(require_memory_for_batches(format, 512, 18, std::nullopt), std::nullopt);
  EXPECT_THAT(error_of([&] { require_memory_for_batches(format, 4096, 66, 1'000'000'000); }),
              AllOf(HasSubstr("15.3 GB"), HasSubstr("1.0 GB"), HasSubstr("apex.prefetch")));
}

// Seen failing when only the first state was checked.
TEST(ReplayMemory, IsWatchedAsTransitionsGrow) {
  const ReplayConfig config = {.capacity = 1'000'000, .compression = "lz4"};
  int asked = 0;
  MemoryWatch watch(config, [&] {
    ++asked;
    return 4'000'000'000;
  });
  watch.look({.transitions = 1, .bytes = 9'000});  // seen failing: room for a thousand more
  watch.look({.transitions = 1000, .bytes = 1'000'000});
  watch.look({.transitions = 2000, .bytes = 2'100'000});
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(error_of([&] { watch.look({.transitions = 1000, .bytes = 5'000'000}); }),
              HasSubstr("5.0 GB"));
}

// Seen failing when a replay was taken to hold no more than its capacity.
TEST(ReplayMemory, IsWatchedBeyondTheCapacity) {
  const ReplayConfig config = {.capacity = 1'000'000};
  std::int64_t available = 9'000'000'000;
  MemoryWatch watch(config, [&] { return available; });
  const auto look = [&](std::int64_t transitions) {
    const std::int64_t bytes = 1'000 * transitions;
    available = 10'000'000'000 - bytes;
    watch.look({.transitions = transitions, .bytes = static_cast<std::size_t>(bytes)});
  };
  for (std::int64_t millions = 1; millions < 9; ++millions) look(1'000'000 * millions);
  EXPECT_THAT(error_of([&] { look(9'500'000); }),
              AllOf(HasSubstr("9500000 transitions"), HasSubstr("apex.trim_updates")));
}

TEST(ReturnsByEpsilon, AreThoseOfEachActorWhereThereAreFew) {
  ReturnsByEpsilon returns(std::array{0.4F, 0.05F});
  EXPECT_TRUE(returns.take().empty());
  const std::vector<Episode> episodes{{0, 1, 9}, {1, 5, 9}, {1, 7, 9}};
  returns.add(episodes);
  const auto measures = returns.take();
  ASSERT_EQ(measures.size(), 2U);
  EXPECT_STREQ(measures[0].key, "apex/return_epsilon_0.4");
  EXPECT_EQ(measures[0].sum, 1);
  EXPECT_STREQ(measures[1].key, "apex/return_epsilon_0.05");
  EXPECT_EQ(measures[1].sum, 12);
  EXPECT_EQ(measures[1].count, 2);
  EXPECT_TRUE(returns.take().empty());
}

// Seen failing when a band was named by its first epsilon.
TEST(ReturnsByEpsilon, AreThoseOfBandsWhereThereAreMany) {
  std::vector<float> epsilons;
  for (int i = 0; i < 20; ++i) epsilons.push_back(1.0F / static_cast<float>(i + 1));
  ReturnsByEpsilon returns(epsilons);
  std::vector<Episode> episodes;
  for (int i = 0; i < 20; ++i) episodes.push_back({i, 1, 1});
  returns.add(episodes);
  const auto measures = returns.take();
  ASSERT_EQ(measures.size(), ReturnsByEpsilon::kBands);
  EXPECT_EQ(measures.front().count, 3);
  EXPECT_STREQ(measures.front().key, "apex/return_epsilon_0.33");
  EXPECT_STREQ(measures.back().key, "apex/return_epsilon_0.05");
}

// Appendix B's six epsilons repeat over the actors, so equal epsilons are not neighbours. Seen
// failing when bands were made of neighbouring environments.
TEST(ReturnsByEpsilon, GoByEpsilonWhereverItsActorsAre) {
  ReturnsByEpsilon returns(std::array{0.4F, 0.05F, 0.4F, 0.05F});
  const std::vector<Episode> episodes{{0, 1, 9}, {2, 2, 9}, {3, 7, 9}};
  returns.add(episodes);
  const auto measures = returns.take();
  ASSERT_EQ(measures.size(), 2U);
  EXPECT_EQ(measures[0].sum, 3);
  EXPECT_EQ(measures[1].sum, 7);
}

TEST(ReturnsByEpsilon, AreNoneWhereAllExploreAlike) {
  ReturnsByEpsilon returns(std::array{0.3F, 0.3F});
  const std::vector<Episode> episodes{{0, 1, 9}};
  returns.add(episodes);
  EXPECT_TRUE(returns.take().empty());
}

}  // namespace
}  // namespace tandem
