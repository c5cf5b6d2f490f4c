// The parameters of a target network that all threads share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// The target network's theta- of A3C's Algorithms 1 and 2: a copy of the parameters theta. It is
/// refreshed at fixed intervals of the caller's count, which is of steps of all threads together in
/// A3C and of updates in Ape-X; between refreshes all threads see the same copy. It changes so
/// seldom that its lock costs almost nothing. Other threads may update theta during a refresh, so
/// the caller of refresh() passes a function that reads theta. Safe to use from many threads.
class TargetParameters {
 public:
  /// Copies the present theta to the span.
  using ReadTheta = std::function<void(std::span<float>)>;

  /// Copies theta at the count `steps`. Refreshes follow at intervals of `interval`. With
  /// an interval of 0 there is no target network: refresh() does nothing, and copies are empty.
  TargetParameters(std::span<const float> theta, std::int64_t interval, std::int64_t steps);

  /// Whether there is a target network.
  [[nodiscard]] bool exist() const { return interval_ > 0; }

  /// The number of parameters; 0 if there is no target network.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Copies theta to theta- if `steps`, the steps of all threads so far, have passed a multiple of
  /// the interval since the last refresh.
  void refresh(std::int64_t steps, const ReadTheta& read_theta);

  /// Copies theta- if it is newer than `version`, and updates `version`. Returns whether it copied.
  bool copy_if_newer(std::optional<std::int64_t>& version, std::span<float> own) const;

  /// theta-, for checkpoints; empty if there is no target network. Takes no lock, so it must not be
  /// called while threads run.
  [[nodiscard]] std::span<float> values() TANDEM_NO_THREAD_SAFETY_ANALYSIS { return theta_; }

 private:
  [[nodiscard]] std::int64_t multiple_after(std::int64_t steps) const {
    return (steps / interval_ + 1) * interval_;
  }

  const std::int64_t interval_;
  const std::size_t size_;
  std::atomic<std::int64_t> due_ = 0;      // steps at which the next refresh is due
  std::atomic<std::int64_t> version_ = 0;  // refreshes so far
  mutable Mutex mutex_;
  std::vector<float> theta_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem
