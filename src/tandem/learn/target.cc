#include "tandem/learn/target.h"

#include <algorithm>

namespace tandem {

TargetParameters::TargetParameters(std::span<const float> theta, std::int64_t interval,
                                   std::int64_t steps)
    : interval_(interval), size_(interval > 0 ? theta.size() : 0) {
  if (!exist()) return;
  due_ = multiple_after(steps);
  theta_.assign(theta.begin(), theta.end());
}

void TargetParameters::refresh(std::int64_t steps, const ReadTheta& read_theta) {
  if (!exist() || steps < due_) return;
  const Lock lock(mutex_);
  if (steps < due_) return;  // another thread refreshed it first
  read_theta(theta_);
  due_ = multiple_after(steps);
  ++version_;
}

bool TargetParameters::copy_if_newer(std::optional<std::int64_t>& version,
                                     std::span<float> own) const {
  if (version == version_) return false;
  const Lock lock(mutex_);
  std::ranges::copy(theta_, own.begin());
  version = version_;
  return true;
}

}  // namespace tandem
