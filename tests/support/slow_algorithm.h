// An algorithm that makes others wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

#include "tandem/algo/a2c.h"

namespace tandem {

/// A2C whose loss takes its time, so that experiences wait.
class SlowAlgorithm final : public Algorithm {
 public:
  [[nodiscard]] Needs needs() const override { return inner_->needs(); }
  void act(const Heads& heads, std::span<Stream* const> streams, std::span<const float> epsilons,
           const Actions& actions) const override {
    inner_->act(heads, streams, epsilons, actions);
  }
  void values(const Heads& heads, std::span<const std::int32_t> actions,
              std::span<float> values) const override {
    inner_->values(heads, actions, values);
  }
  LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                 const Heads& gradient) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    return inner_->loss(heads, rollout, weight, gradient);
  }
  [[nodiscard]] float reward(float raw) const override { return inner_->reward(raw); }
  [[nodiscard]] double gamma() const override { return inner_->gamma(); }

 private:
  std::unique_ptr<Algorithm> inner_ = make_a2c({.correction = "vtrace"});
};

}  // namespace tandem
