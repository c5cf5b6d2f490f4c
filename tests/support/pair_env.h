// An environment of two agents.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "tandem/env/builtin.h"

namespace tandem {

/// CartPole, seen by two agents; the first one acts in it.
class PairEnv final : public Env {
 public:
  PairEnv() { spec_.agents = 2; }

  const EnvSpec& spec() const override { return spec_; }
  void reset(Stream& stream, std::span<std::byte> frames) override {
    inner_->reset(stream, first(frames));
    repeat(frames);
  }
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frames) override {
    auto result = inner_->step(actions.first(1), stream, first(frames));
    repeat(frames);
    rewards_.fill(result.reward);
    result.rewards = rewards_;
    return result;
  }
  void save(StateWriter& writer) const override { inner_->save(writer); }
  void load(StateReader& reader) override { inner_->load(reader); }

 private:
  static std::span<std::byte> first(std::span<std::byte> frames) {
    return frames.first(frames.size() / 2);
  }
  static void repeat(std::span<std::byte> frames) {
    std::ranges::copy(first(frames), frames.subspan(frames.size() / 2).begin());
  }

  std::unique_ptr<Env> inner_ = make_builtin_family()->make("cartpole", 0);
  EnvSpec spec_ = inner_->spec();
  std::array<float, 2> rewards_ = {};
};

}  // namespace tandem
