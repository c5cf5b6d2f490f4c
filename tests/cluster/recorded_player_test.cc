// Recorded play, which loads a replay.
#include "tandem/cluster/apex/recorded_player.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/algo/dqn.h"
#include "tests/support/scenario.h"

namespace tandem {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

std::vector<std::unique_ptr<Segment>> record(std::int64_t transitions) {
  const Scenario scenario;
  const auto spec = scenario.make_env(0)->spec();
  const auto algorithm = make_dqn({}, 1, true);
  const auto make_network = [](std::span<const float>) { return std::unique_ptr<Network>(); };
  const auto context = make_actor_context(scenario.make_env, spec, make_network, algorithm, 7);
  return record_play({.seed = 7,
                      .format = frame_format(spec, Compression::none),
                      .transitions = {.n = 3, .gamma = 0.99, .transitions = 10}},
                     context, transitions);
}

TEST(RecordedPlayer, RecordsWholeTransitionsOfRandomPlay) {
  const auto segments = record(200);
  std::int64_t all = 0;
  for (const auto& segment : segments) {
    for (const auto& transition : segment->transitions()) {
      EXPECT_TRUE(std::isfinite(transition.priority));
      all += 1;
    }
  }
  EXPECT_GE(all, 200);
  EXPECT_LT(all, 220);
}

TEST(RecordedPlayer, SendsItsSegmentsInTurn) {
  auto segments = record(30);
  const auto recorded = segments.size();
  std::vector<std::size_t> sizes;
  for (const auto& segment : segments) sizes.push_back(segment->transitions().size());
  const auto format = segments.front()->format();
  RecordedPlayer player(std::move(segments), 1, std::make_shared<Pace>(kNoLimit));
  for (std::size_t i = 0; i < 2 * recorded; ++i) player.play();
  const auto packed = player.packed();
  StateWriter writer;
  player.take(writer);
  EXPECT_EQ(player.packed(), 0);
  EXPECT_EQ(player.packed_bytes(), 0U);
  StateReader reader(writer.bytes());
  std::int64_t taken = 0;
  for (std::size_t i = 0; !reader.at_end(); ++i) {
    Segment segment(format, 0, 0);
    segment.load(reader);
    EXPECT_EQ(segment.transitions().size(), sizes[i % recorded]);
    taken += std::ssize(segment.transitions());
  }
  EXPECT_EQ(taken, packed);
  EXPECT_EQ(player.take_played().steps, packed);
}

TEST(Pace, KeepsItsRateAndMakesUpForLateEvents) {
  Pace pace(1'000);
  const Stopwatch watch;
  double events = 0;
  while (watch.seconds() < 0.3) events += pace.take(10) ? 10 : 0;
  EXPECT_LE(events, 1'000 * watch.seconds() + 10);
  while (pace.take(10)) events += 10;  // of a stall at the end
  EXPECT_GE(events, 290);
}

TEST(Pace, GivesNoneAndAll) {
  Pace pace(0);
  EXPECT_FALSE(pace.take(1));
  pace.set(kNoLimit);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(pace.take(1'000));
}

}  // namespace
}  // namespace tandem
