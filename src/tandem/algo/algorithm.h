// What an algorithm decides: how to act, and what to learn from. Pure: no threads, no queues, no
// environments.
#pragma once

#include <cstdint>
#include <span>

#include "tandem/base/random.h"
#include "tandem/data/rollout.h"
#include "tandem/nn/network.h"

namespace tandem {

/// Sums over a batch; divide by `samples` for means. Adding two gives those of both batches.
struct LossStats {
  double policy_loss = 0;  // what the policy head minimises, entropy term excluded
  double value_loss = 0;   // squared error of the value head
  double entropy = 0;      // of the policy, nats
  double samples = 0;

  LossStats& operator+=(const LossStats& other);
};

/// Immutable; safe to use from many threads.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// Chooses actions[i] from row i of the heads, drawing from *streams[i].
  virtual void act(const Heads& heads, std::span<Stream* const> streams,
                   std::span<std::int32_t> actions) const = 0;

  /// The loss over a rollout's T * B samples (heads in its order), each weighted by `weight`
  /// (1 / samples of the whole update makes a mean); writes the gradient with respect to the heads.
  virtual LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                         const Heads& gradient) const = 0;

  /// The reward to learn from, given the environment's.
  [[nodiscard]] virtual float reward(float raw) const = 0;

  /// Discount of one step.
  [[nodiscard]] virtual double gamma() const = 0;
};

}  // namespace tandem
