// An environment whose observations and rewards have known moments and odd sizes.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "tandem/env/env.h"
#include "tandem/nn/input_statistics.h"
#include "tests/support/scenario.h"

namespace tandem {

/// Shows two independent normal numbers, of mean 5 and deviation 0.01 and of mean -300 and
/// deviation 100, whatever the agent does. An episode has 20 steps, each with a reward of 1000.
class NoisyEnv final : public Env {
 public:
  static constexpr std::array kMean = {5.0, -300.0};
  static constexpr std::array kDeviation = {0.01, 100.0};

  /// With one continuous action, or with two discrete ones.
  explicit NoisyEnv(bool continuous = false) : spec_{.frame_shape = {2}, .num_actions = 2} {
    if (continuous) spec_ = {.frame_shape = {2}, .action_low = {-1}, .action_high = {1}};
  }

  const EnvSpec& spec() const override { return spec_; }
  void reset(Stream& stream, std::span<std::byte> frame) override {
    age_ = 0;
    show(stream, frame);
  }
  StepResult step(std::span<const Action>, Stream& stream, std::span<std::byte> frame) override {
    show(stream, frame);
    const bool last = ++age_ == 20;
    return {.reward = 1000, .terminated = last, .game_over = last};
  }
  void save(StateWriter& writer) const override { writer.put(age_); }
  void load(StateReader& reader) override { age_ = reader.get<int>(); }

 private:
  static void show(Stream& stream, std::span<std::byte> frame) {
    std::array<float, 2> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(kMean[i] + kDeviation[i] * stream.normal());
    }
    std::memcpy(frame.data(), numbers.data(), sizeof(numbers));
  }

  EnvSpec spec_;
  int age_ = 0;
};

/// A run in NoisyEnv that normalises observations and rewards.
inline Scenario noisy(const std::filesystem::path& folder, std::int64_t steps) {
  return {.folder = folder,
          .make_env = [](int) { return std::make_unique<NoisyEnv>(); },
          .steps = steps,
          .normalises = true};
}

/// The statistics at the end of the parameters that a run in NoisyEnv returned.
inline InputStatistics noisy_statistics(std::vector<float>& parameters) {
  return input_statistics_in(std::span(parameters).last(4 * 2 + 2));
}

/// Expects the statistics of `count` observations of NoisyEnv. Five standard errors are far more
/// than chance explains.
inline void expect_noisy_moments(std::vector<float> parameters, double count) {
  const auto statistics = noisy_statistics(parameters);
  EXPECT_EQ(statistics.count[0], count);
  for (std::size_t i = 0; i < 2; ++i) {
    const double deviation = NoisyEnv::kDeviation[i];
    EXPECT_NEAR(statistics.mean[i], NoisyEnv::kMean[i], 5 * deviation / std::sqrt(count)) << i;
    EXPECT_NEAR(std::sqrt(statistics.variance[i]), deviation, 5 * deviation / std::sqrt(2 * count))
        << i;
  }
}

}  // namespace tandem
