// The parameters that actors use while the learner computes the next ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Actors see the same parameters until publish(): theta_j of HTS-RL's equation 6, while the
/// learner computes theta_{j+1}. A version is the number of publications so far. Only the learner
/// may call stage(), and one thread at a time publish(), while the learner stages nothing;
/// meanwhile many threads may copy.
class PublishedParameters {
 public:
  /// Publishes these parameters first, as version 0.
  explicit PublishedParameters(std::span<const float> first)
      : size_(first.size()), published_(first.begin(), first.end()), staged_(published_) {}

  /// Sets the parameters for the next publish().
  void stage(std::span<const float> next);

  /// Publishes the staged parameters as the next version.
  void publish();
  /// The same, with a version of the caller's own count.
  void publish(std::int64_t version);

  /// The number of parameters.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Copies the published parameters if they are newer than `version`, and updates `version`.
  /// Returns whether it copied.
  bool copy_if_newer(std::optional<std::int64_t>& version, std::span<float> own) const;

 private:
  const std::size_t size_;  // actors ask for it while others are published
  mutable Mutex mutex_;
  std::vector<float> published_ TANDEM_GUARDED_BY(mutex_);
  std::atomic<std::int64_t> version_ = 0;  // changes under the lock
  std::vector<float> staged_;              // only the learner uses it
};

}  // namespace tandem
