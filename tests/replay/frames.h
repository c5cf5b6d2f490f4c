// Small observations whose frames carry numbers.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tandem/base/random.h"
#include "tandem/replay/n_step_builder.h"

namespace tandem::test {

/// Frames of two floats, of which the first is the frame's number.
inline FrameFormat small_format(Compression compression = Compression::none) {
  return {.frame_bytes = 8, .stack = 3, .compression = compression};
}

inline std::vector<std::byte> frame(float number) {
  const float both[] = {number, 0.5F};
  const auto bytes = std::as_bytes(std::span(both));
  return {bytes.begin(), bytes.end()};
}

/// The numbers of an observation's frames.
inline std::vector<float> numbers(std::span<const std::byte> observation) {
  std::vector<float> numbers(observation.size() / 8);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::memcpy(&numbers[i], observation.data() + i * 8, sizeof(float));
  }
  return numbers;
}

/// A segment of one-step transitions with these priorities. Its frames are numbered from `first`.
inline std::unique_ptr<Segment> segment(std::span<const float> priorities, float first = 0,
                                        const FrameFormat& format = small_format()) {
  NStepBuilder builder(format, {.n = 1, .gamma = 1, .transitions = priorities.size()});
  builder.begin(frame(first));
  float now = first;
  for (const float priority : priorities) {
    builder.act({.discrete = static_cast<int>(now)}, {.action_value = 0, .state_value = 0});
    if (builder.full()) break;
    now += 1;
    builder.step(priority, frame(now));
  }
  builder.act({}, {});
  return builder.take();
}

}  // namespace tandem::test
