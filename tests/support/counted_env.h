// An environment that counts its steps and starts.
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "tandem/env/builtin.h"

namespace tandem {

/// CartPole that counts its steps and starts in variables that instances may share.
class Counted final : public Env {
 public:
  Counted(std::atomic<int>& steps, std::atomic<int>& starts)
      : inner_(make_builtin_family()->make("cartpole", 0)), steps_(steps), starts_(starts) {}
  const EnvSpec& spec() const override { return inner_->spec(); }
  void reset(Stream& stream, std::span<std::byte> frame) override {
    ++starts_;
    inner_->reset(stream, frame);
  }
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    ++steps_;
    return inner_->step(actions, stream, frame);
  }
  void save(StateWriter& writer) const override { inner_->save(writer); }
  void load(StateReader& reader) override { inner_->load(reader); }

 private:
  std::unique_ptr<Env> inner_;
  std::atomic<int>& steps_;
  std::atomic<int>& starts_;
};

}  // namespace tandem
