#include "tandem/learn/shared_model.h"

#include <algorithm>
#include <mutex>

namespace tandem {

bool SharedModel::copy_if_newer(std::optional<std::int64_t>& version, std::span<float> own) const {
  if (version == this->version()) return false;
  const std::shared_lock lock(mutex_);
  // From pointers, not from spans' iterators, which GCC 12 copies by 16 bytes at a time.
  const auto parameters = std::as_const(learner_).parameters();
  std::copy_n(parameters.data(), parameters.size(), own.data());
  version = this->version();
  return true;
}

UpdateInfo SharedModel::apply(std::span<const std::vector<float>> gradients, std::int64_t steps) {
  const std::unique_lock lock(mutex_);
  const auto update = learner_.apply(gradients, steps, workers_);
  version_.fetch_add(1, std::memory_order_release);
  return update;
}

}  // namespace tandem
