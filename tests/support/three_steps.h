// An environment whose episodes can be followed by hand.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "tandem/env/env.h"

namespace tandem {

/// Shows the number of steps in its episode so far; each step brings the same reward. The third
/// step is the last: it truncates the episode of environment 0, terminates that of environment 1,
/// and does both in all others.
class ThreeSteps final : public Env {
 public:
  ThreeSteps(int index, float reward) : index_(index), reward_(reward) {}

  const EnvSpec& spec() const override { return spec_; }
  void reset(Stream&, std::span<std::byte> frame) override {
    age_ = 0;
    show(frame);
  }
  StepResult step(std::span<const Action>, Stream&, std::span<std::byte> frame) override {
    ++age_;
    show(frame);
    const bool last = age_ == 3;
    return {.reward = reward_,
            .terminated = last && index_ != 0,
            .truncated = last && index_ != 1,
            .game_over = last};
  }
  void save(StateWriter& writer) const override { writer.put(age_); }
  void load(StateReader& reader) override { age_ = reader.get<float>(); }

 private:
  void show(std::span<std::byte> frame) const { std::memcpy(frame.data(), &age_, sizeof(age_)); }

  const EnvSpec spec_{.frame_shape = {1}, .num_actions = 2};
  int index_;
  float reward_;
  float age_ = 0;
};

}  // namespace tandem
