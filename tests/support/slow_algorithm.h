// An algorithm with a slow loss, so that experiences wait for their trainer.
#pragma once

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "tandem/algo/a2c.h"

namespace tandem {

/// A loss that sleeps before it computes.
class SlowLoss final : public RolloutLoss {
 public:
  explicit SlowLoss(Algorithm inner) : inner_(std::move(inner)) {}

  [[nodiscard]] Needs needs() const override { return inner_.rollout_loss().needs(); }
  LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                 const Heads& gradient) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    return inner_.rollout_loss().loss(heads, rollout, weight, gradient);
  }

 private:
  const Algorithm inner_;
};

/// A2C with V-trace and a slow loss.
inline Algorithm make_slow_algorithm() {
  Algorithm algorithm = make_a2c({.correction = "vtrace"});
  algorithm.learning = std::make_shared<const SlowLoss>(algorithm);
  return algorithm;
}

}  // namespace tandem
