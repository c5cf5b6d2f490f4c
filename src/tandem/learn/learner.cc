#include "tandem/learn/learner.h"

#include <algorithm>
#include <utility>

namespace tandem {

Learner::Learner(Architecture architecture, const OptimizerConfig& config, std::uint64_t seed)
    : architecture_(std::move(architecture)),
      config_(config),
      parameters_(static_cast<std::size_t>(architecture_.parameter_count())),
      sum_(parameters_.size()),
      optimizer_(make_optimizer(config, architecture_.parameter_count())) {
  Stream stream(seed, kInitialisation);
  initialise(architecture_, stream, parameters_);
}

UpdateInfo Learner::apply(std::span<const std::vector<float>> gradients, std::int64_t steps) {
  std::ranges::copy(gradients.front(), sum_.begin());
  for (const auto& gradient : gradients.subspan(1)) {
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += gradient[i];
  }
  const double norm = global_norm(sum_);
  const float lr = learning_rate(config_, steps);
  optimizer_->step(parameters_, sum_, clip_scale(norm, config_.clip_norm), lr);
  return {norm, lr};
}

}  // namespace tandem
