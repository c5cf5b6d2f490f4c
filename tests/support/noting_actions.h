// An environment that notes its actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/env_around.h"

namespace tandem {

/// CartPole that notes the actions of all steps. Not thread-safe; instances may share the notes if
/// one thread at a time uses them.
class NotingActions : public EnvAround {
 public:
  /// `notes` must outlive it.
  explicit NotingActions(std::vector<std::int32_t>& notes) : notes_(notes) {}
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    note(actions[0].discrete);
    return EnvAround::step(actions, stream, frame);
  }

 protected:
  void note(std::int32_t what) { notes_.push_back(what); }

 private:
  std::vector<std::int32_t>& notes_;
};

}  // namespace tandem
