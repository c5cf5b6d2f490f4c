#include "tandem/replay/n_step_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tandem/base/error.h"
#include "tests/replay/frames.h"

namespace tandem {
namespace {

using test::frame;
using test::numbers;
using test::small_format;
using ::testing::ElementsAre;

/// One transition with its observations.
struct Seen {
  std::vector<float> from;
  std::vector<float> to;
  Transition transition;
};

std::vector<Seen> seen(const Segment& segment) {
  FrameCodec codec(segment.format());
  const auto bytes = segment.format().observation_bytes();
  std::vector<Seen> all;
  for (const auto& transition : segment.transitions()) {
    std::vector<std::byte> from(bytes);
    std::vector<std::byte> to(bytes);
    segment.read(transition, from.data(), to.data(), codec);
    all.push_back({numbers(from), numbers(to), transition});
  }
  return all;
}

// An episode has five steps with rewards 1, 2, 4, 8, 16; each state's value is 100, each action's
// 10. The transitions are computed by hand. Seen failing when step k's discount was gamma^(k + 1),
// and when unfinished returns kept their bootstrap at the end.
TEST(NStepBuilder, MakesThreeStepTransitionsAndShorterOnesAtTheEnd) {
  NStepBuilder builder(small_format(), {.n = 3, .gamma = 0.5, .transitions = 5});
  builder.begin(frame(0));
  for (int t = 0; t < 5; ++t) {
    builder.act({.discrete = t}, {.action_value = 10, .state_value = 100});
    const auto reward = static_cast<float>(1 << t);
    if (t < 4) {
      builder.step(reward, frame(static_cast<float>(t + 1)));
    } else {
      builder.terminate(reward);
    }
  }
  ASSERT_TRUE(builder.full());
  const auto all = seen(*builder.take());
  ASSERT_EQ(all.size(), 5U);
  EXPECT_THAT(all[0].from, ElementsAre(0, 0, 0));
  EXPECT_THAT(all[0].to, ElementsAre(1, 2, 3));
  EXPECT_EQ(all[0].transition.n_step_return, 1 + 0.5 * 2 + 0.25 * 4);
  EXPECT_EQ(all[0].transition.discount, 0.125);
  EXPECT_EQ(all[0].transition.priority, std::abs(3 + 0.125 * 100 - 10));
  EXPECT_THAT(all[1].from, ElementsAre(0, 0, 1));
  EXPECT_THAT(all[1].to, ElementsAre(2, 3, 4));
  EXPECT_EQ(all[1].transition.n_step_return, 2 + 0.5 * 4 + 0.25 * 8);
  EXPECT_THAT(all[2].from, ElementsAre(0, 1, 2));
  EXPECT_EQ(all[2].transition.n_step_return, 4 + 0.5 * 8 + 0.25 * 16);
  EXPECT_EQ(all[2].transition.discount, 0);
  EXPECT_EQ(all[2].transition.priority, 12 - 10);
  EXPECT_EQ(all[3].transition.n_step_return, 8 + 0.5 * 16);
  EXPECT_EQ(all[4].transition.n_step_return, 16);
  EXPECT_EQ(all[4].transition.action, 4);
  EXPECT_THAT(all[4].from, ElementsAre(2, 3, 4));
}

// Seen failing when truncate() ended the episode as terminate() does.
TEST(NStepBuilder, BootstrapsFromTheLastStateOfAnEpisodeThatWasCutOff) {
  NStepBuilder builder(small_format(), {.n = 3, .gamma = 0.5, .transitions = 2});
  builder.begin(frame(0));
  builder.act({}, {});
  builder.step(1, frame(1));
  builder.act({}, {});
  builder.truncate(2, frame(2), 8);
  const auto all = seen(*builder.take());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].transition.n_step_return, 2);
  EXPECT_EQ(all[0].transition.discount, 0.25);
  EXPECT_EQ(all[0].transition.priority, 4);
  EXPECT_THAT(all[0].to, ElementsAre(0, 1, 2));
  EXPECT_EQ(all[1].transition.discount, 0.5);
  EXPECT_THAT(all[1].to, ElementsAre(0, 1, 2));
}

// Seen failing when begin() kept the frames of the episode before.
TEST(NStepBuilder, AnEpisodeBeginsWithItsOwnFrameAlone) {
  NStepBuilder builder(small_format(), {.n = 1, .gamma = 1, .transitions = 10});
  float now = 0;
  for (const bool cut_off : {false, true, false}) {
    builder.begin(frame(++now));
    builder.act({}, {});
    builder.step(0, frame(++now));
    builder.act({}, {});
    cut_off ? builder.truncate(0, frame(++now), 0) : builder.terminate(0);
  }
  const auto all = seen(*builder.take());
  ASSERT_EQ(all.size(), 6U);
  EXPECT_THAT(all[0].from, ElementsAre(1, 1, 1));
  EXPECT_THAT(all[2].from, ElementsAre(3, 3, 3));
  EXPECT_THAT(all[3].to, ElementsAre(3, 4, 5));
  EXPECT_THAT(all[4].from, ElementsAre(6, 6, 6));
}

std::vector<std::byte> frames(const std::vector<float>& numbers) {
  std::vector<std::byte> all;
  for (const float number : numbers) {
    const auto one = frame(number);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// Seen failing when the first transition of the old game ended in the new one.
TEST(NStepBuilder, AGameThatWasLostLeavesNoTransition) {
  NStepBuilder builder(small_format(), {.n = 3, .gamma = 0.5, .transitions = 10});
  builder.begin(frame(0));
  builder.act({.discrete = 1}, {});
  builder.step(7, frame(1));
  builder.begin(frame(2));
  builder.act({.discrete = 0}, {});
  builder.terminate(1);
  const auto segment = builder.take();
  ASSERT_EQ(segment->transitions().size(), 1U);
  EXPECT_EQ(segment->transitions()[0].n_step_return, 1);
}

TEST(NStepBuilder, AnEpisodeMayBeginWithAWholeStack) {
  NStepBuilder builder(small_format(), {.n = 1, .gamma = 1, .transitions = 10});
  builder.begin(frames({7, 8, 9}));
  builder.act({}, {});
  builder.step(0, frame(10));
  builder.act({}, {});
  builder.terminate(0);
  builder.begin(frames({1, 2}));
  builder.act({}, {});
  builder.step(0, frame(3));
  builder.act({}, {});
  const auto all = seen(*builder.take());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[0].from, ElementsAre(7, 8, 9));
  EXPECT_THAT(all[0].to, ElementsAre(8, 9, 10));
  EXPECT_THAT(all[2].from, ElementsAre(1, 1, 2));
  EXPECT_THAT(all[2].to, ElementsAre(1, 2, 3));
}

TEST(NStepBuilder, ACutBootstrapsFromTheNewestState) {
  NStepBuilder builder(small_format(), {.n = 2, .gamma = 0.5, .transitions = 2});
  builder.begin(frame(0));
  for (int t = 0; t < 3; ++t) {
    builder.act({}, {.action_value = 1, .state_value = 100});
    builder.step(4, frame(static_cast<float>(t + 1)));
  }
  builder.cut(8);
  const auto all = seen(*builder.take());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[1].to, ElementsAre(1, 2, 3));
  EXPECT_EQ(all[1].transition.n_step_return, 6);
  EXPECT_EQ(all[1].transition.discount, 0.25);
  EXPECT_EQ(all[1].transition.priority, 6 + 0.25 * 8 - 1);
  EXPECT_THAT(all[2].to, ElementsAre(1, 2, 3));
  EXPECT_EQ(all[2].transition.discount, 0.5);
}

TEST(NStepBuilder, VeryShortEpisodesFillASegmentByTheirFrames) {
  NStepBuilder builder(small_format(), {.n = 1, .gamma = 1, .transitions = 100'000});
  int taken = 0;
  for (int episode = 0; episode < 40'000; ++episode) {
    builder.begin(frames({1, 2, 3}));
    builder.act({}, {});
    builder.truncate(0, frame(4), 0);
    if (!builder.full()) continue;
    builder.take();
    taken += 1;
  }
  EXPECT_EQ(taken, 4);
}

/// A builder's transitions from random episodes, taken whenever it has `transitions` of them.
std::vector<Seen> play(std::size_t transitions, Compression compression, bool save_and_load) {
  const NStepOptions options{.n = 3, .gamma = 0.9, .transitions = transitions};
  NStepBuilder builder(small_format(compression), options);
  Stream stream(7, 0);
  float now = 0;
  builder.begin(frame(now));
  std::vector<Seen> all;
  const auto take = [&] {
    for (auto& each : seen(*builder.take())) all.push_back(std::move(each));
  };
  for (int step = 0; step < 500; ++step) {
    builder.act({.discrete = step}, {.action_value = stream.uniform(), .state_value = now});
    if (builder.full()) take();
    const auto next = frame(++now);
    const auto what = stream.below(20);
    const float reward = stream.uniform();
    if (what == 0) {
      builder.terminate(reward);
    } else if (what == 1) {
      builder.truncate(reward, next, now);
    } else {
      builder.step(reward, next);
    }
    if (save_and_load) {
      StateWriter writer;
      builder.save(writer);
      builder = NStepBuilder(small_format(compression), options);
      StateReader reader(writer.bytes());
      builder.load(reader);
      EXPECT_TRUE(reader.at_end());
    }
    if (what < 2) builder.begin(frame(++now));
  }
  take();
  return all;
}

void expect_same(const std::vector<Seen>& a, const std::vector<Seen>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].from, b[i].from) << i;
    ASSERT_EQ(a[i].to, b[i].to) << i;
    ASSERT_EQ(a[i].transition.action, b[i].transition.action) << i;
    ASSERT_EQ(a[i].transition.n_step_return, b[i].transition.n_step_return) << i;
    ASSERT_EQ(a[i].transition.discount, b[i].transition.discount) << i;
    ASSERT_EQ(a[i].transition.priority, b[i].transition.priority) << i;
  }
}

// Seen failing when take() kept only the frames of the newest state.
TEST(NStepBuilder, BordersOfSegmentsChangeNothing) {
  const auto whole = play(10'000, Compression::none, false);
  EXPECT_GT(whole.size(), 480U);
  for (const std::size_t transitions : {1, 2, 3, 7, 50}) {
    expect_same(play(transitions, Compression::none, false), whole);
  }
}

TEST(NStepBuilder, CompressionChangesNothing) {
  const auto whole = play(50, Compression::none, false);
  expect_same(play(50, Compression::lz4, false), whole);
  expect_same(play(7, Compression::zstd, false), whole);
}

// Seen failing when save() left out pending transitions.
TEST(NStepBuilder, GoesOnWhereItWasSaved) {
  expect_same(play(7, Compression::none, true), play(7, Compression::none, false));
  expect_same(play(7, Compression::zstd, true), play(7, Compression::none, false));
}

TEST(NStepBuilder, RefusesWhatIsDamaged) {
  NStepBuilder builder(small_format(), {});
  builder.begin(frame(0));
  builder.act({}, {});
  builder.step(1, frame(1));
  StateWriter writer;
  builder.save(writer);
  const auto whole = writer.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::span<const std::byte> part(whole.data(), size);
    StateReader reader(part);
    NStepBuilder other(small_format(), {});
    EXPECT_THROW(other.load(reader), Error) << size;
  }
  auto format = small_format();
  format.frame_bytes = 12;
  StateReader reader(whole);
  NStepBuilder other(format, {});
  EXPECT_THROW(other.load(reader), Error);
}

// 50 transitions of an episode take 56 frames and no more. This bounds a transition's mean bytes.
TEST(NStepBuilder, KeepsAFrameOnce) {
  FrameFormat format{.frame_bytes = 7056, .stack = 4};
  NStepBuilder builder(format, {.n = 3, .gamma = 0.99, .transitions = 50});
  const std::vector<std::byte> picture(7056);
  builder.begin(picture);
  std::size_t bytes = 0;
  std::size_t transitions = 0;
  while (transitions < 1000) {
    builder.act({}, {});
    if (builder.full()) {
      const auto segment = builder.take();
      bytes += segment->bytes();
      transitions += segment->transitions().size();
    }
    builder.step(0, picture);
  }
  EXPECT_LT(static_cast<double>(bytes) / static_cast<double>(transitions), 7056 * 1.12 + 40);
}

}  // namespace
}  // namespace tandem
