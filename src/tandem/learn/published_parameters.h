// The parameters that act while the next ones are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// What actors act by stays the same until publish(), however far the learner is with what comes
/// next: theta_j of HTS-RL's equation 6, while theta_{j+1} is made. A version is the number of
/// publications so far. stage() and publish() are the learner's, one at a time; copies may be made
/// by many threads meanwhile.
class PublishedParameters {
 public:
  explicit PublishedParameters(std::span<const float> first)
      : published_(first.begin(), first.end()), staged_(published_) {}

  /// What publish() will make known.
  void stage(std::span<const float> next);

  void publish();

  /// How many parameters there are.
  [[nodiscard]] std::size_t size() const { return staged_.size(); }

  /// Copies the published ones if they are newer than `version`, and updates it. Returns whether it
  /// copied.
  bool copy_if_newer(std::optional<std::int64_t>& version, std::span<float> own) const;

 private:
  mutable Mutex mutex_;
  std::vector<float> published_ TANDEM_GUARDED_BY(mutex_);
  std::int64_t version_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::vector<float> staged_;  // the learner's
};

}  // namespace tandem
