// An environment whose steps take times of their own.
#pragma once

#include <chrono>
#include <random>
#include <span>
#include <thread>

#include "tests/support/env_around.h"

namespace tandem {

/// Sleeps for a random time of up to 200 microseconds.
inline void sleep_a_little() {
  thread_local std::minstd_rand random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
}

/// Cartpole whose steps take such times, so that threads take turns. Not thread-safe.
class SleepyEnv final : public EnvAround {
 public:
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    sleep_a_little();
    return EnvAround::step(actions, stream, frame);
  }
};

}  // namespace tandem
