// Learning from a replay: from single transitions, long after they were made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tandem/algo/loss_stats.h"
#include "tandem/nn/network_factory.h"
#include "tandem/replay/sample_batch.h"

namespace tandem {

/// One thread's gradient of a loss over replayed transitions. It views the parameters theta and
/// those of the target networks, theta-. Not thread-safe.
class ReplayGradient {
 public:
  virtual ~ReplayGradient() = default;

  /// Must be called after theta- was overwritten and before the next differentiate(). Theta may
  /// move between any two calls without notice.
  virtual void target_changed() = 0;

  /// Overwrites `gradient` (one float per parameter) with the gradient of the sum over the samples'
  /// losses, each times `weight`. Overwrites samples.priorities with new ones. Both are taken at
  /// the present parameters.
  virtual LossStats differentiate(const Samples& samples, double weight,
                                  std::span<float> gradient) = 0;
};

/// An algorithm that learns from replayed transitions. Immutable; safe to use from many threads.
class ReplayAlgorithm {
 public:
  virtual ~ReplayAlgorithm() = default;

  /// Updates between two copies from theta to theta-.
  [[nodiscard]] virtual std::int64_t target_updates() const = 0;

  /// The gradient of one thread. The parameters must outlive it.
  [[nodiscard]] virtual std::unique_ptr<ReplayGradient> make_gradient(
      const NetworkFactory& make_network, std::span<const float> theta,
      std::span<const float> theta_minus) const = 0;
};

}  // namespace tandem
