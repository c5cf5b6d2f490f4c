#include "tandem/replay/segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/replay/frames.h"

namespace tandem {
namespace {

using test::frame;
using test::numbers;
using test::small_format;

/// Two episodes of five steps, with transitions of two steps.
std::unique_ptr<Segment> two_episodes(const FrameFormat& format) {
  NStepBuilder builder(format, {.n = 2, .gamma = 1, .transitions = 10});
  float number = 0;
  for (int episode = 0; episode < 2; ++episode) {
    builder.begin(frame(number++));
    for (int step = 0; step < 5; ++step) {
      builder.act({.discrete = step}, {.action_value = 1, .state_value = 2});
      if (step < 4) {
        builder.step(1, frame(number++));
      } else {
        builder.terminate(1);
      }
    }
  }
  return builder.take();
}

/// The numbers of the frames of both observations of a transition.
std::pair<std::vector<float>, std::vector<float>> frames_of(const Segment& segment,
                                                            std::size_t transition) {
  FrameCodec codec(segment.format());
  std::vector<std::byte> from(segment.format().observation_bytes());
  auto to = from;
  segment.read(segment.transitions()[transition], from.data(), to.data(), codec);
  return {numbers(from), numbers(to)};
}

TEST(Segment, SavesATransitionAloneWithTheFramesThatItNeeds) {
  for (const auto compression : {Compression::none, Compression::lz4}) {
    const auto format = small_format(compression);
    const auto whole = two_episodes(format);
    ASSERT_EQ(whole->transitions().size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
      StateWriter writer;
      whole->save(writer, i);
      Segment alone(format, 0, 0);
      StateReader reader(writer.bytes());
      alone.load(reader);
      EXPECT_TRUE(reader.at_end());
      ASSERT_EQ(alone.transitions().size(), 1U);
      EXPECT_EQ(frames_of(alone, 0), frames_of(*whole, i)) << i;
      EXPECT_EQ(alone.transitions()[0].action, whole->transitions()[i].action);
      EXPECT_LE(alone.frames().size(), 5U);  // a stack of three, two steps on
    }
  }
}

}  // namespace
}  // namespace tandem
