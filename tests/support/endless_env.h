// An environment whose episode never ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "tandem/env/env.h"

namespace tandem {

/// One endless episode. Counts its starts in a variable that instances may share.
class Endless final : public Env {
 public:
  explicit Endless(std::atomic<int>& starts) : starts_(starts) {}
  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  void reset(Stream&, std::span<std::byte>) override { ++starts_; }
  StepResult step(std::span<const Action>, Stream&, std::span<std::byte>) override { return {}; }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  const EnvSpec spec_{.frame_shape = {1}, .num_actions = 2};
  std::atomic<int>& starts_;
};

}  // namespace tandem
