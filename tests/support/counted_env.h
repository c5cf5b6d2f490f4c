// An environment that counts its steps and starts.
#pragma once

#include <atomic>
#include <span>

#include "tests/support/env_around.h"

namespace tandem {

/// CartPole that counts its steps and starts in variables that instances may share.
class Counted final : public EnvAround {
 public:
  Counted(std::atomic<int>& steps, std::atomic<int>& starts) : steps_(steps), starts_(starts) {}
  void reset(Stream& stream, std::span<std::byte> frame) override {
    ++starts_;
    EnvAround::reset(stream, frame);
  }
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    ++steps_;
    return EnvAround::step(actions, stream, frame);
  }

 private:
  std::atomic<int>& steps_;
  std::atomic<int>& starts_;
};

}  // namespace tandem
