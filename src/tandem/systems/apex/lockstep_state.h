// The state of a lockstep beside that of its parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tandem/run/checkpoint.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// Counts the rounds of Ape-X in lockstep, and keeps the parameters by which all actors act: those
/// of the last round in which they renewed them. Not thread-safe.
class LockstepState {
 public:
  /// Parts of a batch whose gradients are computed apart. It is a constant, because the order of
  /// the sums must not depend on the threads.
  static constexpr int kShares = 4;

  /// Goes on from context.resume if it is not null.
  explicit LockstepState(const TrainingContext& context);

  [[nodiscard]] std::int64_t rounds() const { return rounds_; }
  void end_round() { rounds_ += 1; }

  [[nodiscard]] std::span<const float> acting() const { return acting_; }
  void renew_acting(std::span<const float> parameters);

  void save(Checkpoint& checkpoint) const;

 private:
  std::int64_t rounds_ = 0;
  std::vector<float> acting_;
};

}  // namespace tandem
