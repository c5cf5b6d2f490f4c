// An environment whose steps take times of their own.
#pragma once

#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "tandem/env/builtin.h"
#include "tandem/env/env.h"
#include "tandem/env/family.h"

namespace tandem {

/// Sleeps for a random time of up to 200 microseconds.
inline void sleep_a_little() {
  thread_local std::minstd_rand random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
}

/// Cartpole whose steps take such times, so that threads take turns. Not thread-safe.
class SleepyEnv final : public Env {
 public:
  const EnvSpec& spec() const override { return inner_->spec(); }
  void reset(Stream& stream, std::span<std::byte> frame) override { inner_->reset(stream, frame); }
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    sleep_a_little();
    return inner_->step(actions, stream, frame);
  }
  void save(StateWriter& writer) const override { inner_->save(writer); }
  void load(StateReader& reader) override { inner_->load(reader); }

 private:
  std::unique_ptr<Env> inner_ = make_builtin_family()->make("cartpole", 0);
};

}  // namespace tandem
