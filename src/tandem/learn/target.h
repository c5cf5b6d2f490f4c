// The parameters of a target network, which all threads share.
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

/// The target network's theta- of A3C's Algorithms 1 and 2: a copy of the parameters theta, taken
/// anew every so many steps of all threads together and the same for all of them in between. It
/// changes so seldom that a lock around it costs nothing. Other threads move theta meanwhile; the
/// caller that asks for a refresh says how theta is read. Safe to use from many threads.
class TargetParameters {
 public:
  /// Writes the present theta.
  using ReadTheta = std::function<void(std::span<float>)>;

  /// Copies theta, with `steps` taken so far by all threads. Refreshes follow every `interval`
  /// steps. With 0 there is no target network, and every other member does nothing.
  TargetParameters(std::span<const float> theta, std::int64_t interval, std::int64_t steps);

  /// Whether there is a target network.
  [[nodiscard]] bool exist() const { return interval_ > 0; }

  /// The number of parameters; 0 if there is no target network.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Copies theta to theta- if `steps`, those of all threads, have passed a multiple of the
  /// interval since the last refresh.
  void refresh(std::int64_t steps, const ReadTheta& read_theta);

  /// Copies theta- if it is newer than `version`, and updates it. Returns whether it copied.
  bool copy_if_newer(std::optional<std::int64_t>& version, std::span<float> own) const;

  /// To save and restore; empty if there is no target network. Must not be called while threads
  /// run, so it needs no lock.
  [[nodiscard]] std::span<float> values() TANDEM_NO_THREAD_SAFETY_ANALYSIS { return theta_; }

 private:
  [[nodiscard]] std::int64_t multiple_after(std::int64_t steps) const {
    return (steps / interval_ + 1) * interval_;
  }

  const std::int64_t interval_;
  const std::size_t size_;
  std::atomic<std::int64_t> due_ = 0;      // steps at which the next refresh is
  std::atomic<std::int64_t> version_ = 0;  // refreshes so far
  mutable Mutex mutex_;
  std::vector<float> theta_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem
