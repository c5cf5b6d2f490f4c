#include "tandem/learn/shared_model.h"

#include <algorithm>
#include <utility>

namespace tandem {

bool SharedModel::copy_if_newer(std::optional<std::int64_t>& version, std::span<float> own) const {
  if (version == this->version()) return false;
  const ReadLock lock(mutex_);
  // std::ranges::copy would be slower: GCC 12's library does not turn it into a memmove when the
  // source is const.
  const auto parameters = std::as_const(learner_).parameters();
  std::copy_n(parameters.begin(), parameters.size(), own.begin());
  version = this->version();
  return true;
}

UpdateInfo SharedModel::apply(std::span<const std::vector<float>> gradients, std::int64_t steps,
                              std::span<const std::span<const std::byte>> observations) {
  Workers alone(1);
  return apply(gradients, steps, observations, alone);
}

UpdateInfo SharedModel::apply(std::span<const std::vector<float>> gradients, std::int64_t steps,
                              std::span<const std::span<const std::byte>> observations,
                              Workers& workers) {
  const Lock lock(mutex_);
  const auto update = learner_.apply(gradients, steps, workers);
  learner_.observe(observations);
  version_.fetch_add(1, std::memory_order_release);
  return update;
}

}  // namespace tandem
