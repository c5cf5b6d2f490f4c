#include "tandem/learn/published_parameters.h"

#include <algorithm>

namespace tandem {

void PublishedParameters::stage(std::span<const float> next) {
  std::ranges::copy(next, staged_.begin());
}

void PublishedParameters::publish() {
  const Lock lock(mutex_);
  published_.swap(staged_);
  ++version_;
}

void PublishedParameters::publish(std::int64_t version) {
  const Lock lock(mutex_);
  published_.swap(staged_);
  version_ = version;
}

bool PublishedParameters::copy_if_newer(std::optional<std::int64_t>& version,
                                        std::span<float> own) const {
  if (version == version_.load()) return false;  // at most steps, without a lock
  const Lock lock(mutex_);
  std::ranges::copy(published_, own.begin());
  version = version_.load();
  return true;
}

}  // namespace tandem
