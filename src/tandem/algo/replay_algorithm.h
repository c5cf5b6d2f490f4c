// Learning from a replay: from single transitions, some of which are old.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tandem/algo/loss_stats.h"
#include "tandem/nn/network_factory.h"
#include "tandem/replay/sample_batch.h"

namespace tandem {

/// One thread's gradient of a loss over replayed transitions. It holds views of the parameters
/// theta and of the target networks' parameters theta-. Not thread-safe.
class ReplayGradient {
 public:
  virtual ~ReplayGradient() = default;

  /// Must be called after theta- was overwritten and before the next differentiate(). Theta may
  /// change between any two calls without notice.
  virtual void target_changed() = 0;

  /// Overwrites `gradient` (one float per parameter) with the gradient of the sum over the samples'
  /// losses, each times `weight`. Overwrites samples.priorities with new ones. Computes both with
  /// the present parameters.
  virtual LossStats differentiate(const Samples& samples, double weight,
                                  std::span<float> gradient) = 0;
};

/// An algorithm that learns from replayed transitions. Immutable; safe to use from many threads.
class ReplayAlgorithm {
 public:
  virtual ~ReplayAlgorithm() = default;

  /// The number of updates between two copies of theta to theta-.
  [[nodiscard]] virtual std::int64_t target_updates() const = 0;

  /// The operations of networks for one sample of an update; see nn/arithmetic.h.
  [[nodiscard]] virtual double operations(const Architecture& architecture) const = 0;

  /// The gradient of one thread. The parameters must outlive it.
  [[nodiscard]] virtual std::unique_ptr<ReplayGradient> make_gradient(
      const NetworkFactory& make_network, std::span<const float> theta,
      std::span<const float> theta_minus) const = 0;
};

}  // namespace tandem
