#include "tandem/learn/hogwild.h"

#include <cmath>

#include "tandem/base/error.h"
#include "tandem/learn/observe.h"
#include "tandem/learn/racy.h"

namespace tandem {
namespace {

/// In the paper each thread has its own momentum; only RMSProp's g is shared.
bool shares(const OptimizerConfig& config, const SharingConfig& sharing) {
  return config.kind == "rmsprop" && sharing.shared_statistics;
}

}  // namespace

void Hogwild::require_kind(const std::string& optimizer) {
  if (optimizer == "rmsprop" || optimizer == "momentum") return;
  throw Error("optimizer.kind: '" + optimizer +
              "' has no asynchronous form; use rmsprop or momentum with this system");
}

Hogwild::Hogwild(Learner& learner, const SharingConfig& sharing, int threads)
    : learner_(learner),
      trained_(static_cast<std::size_t>(learner.architecture().trained_count())),
      sharing_(sharing) {
  const auto& config = learner.config();
  require_kind(config.kind);
  if (shares(config, sharing)) {
    shared_ = learner.optimizer_slots().front().values;
    return;
  }
  const auto start = config.kind == "rmsprop" ? static_cast<float>(config.initial_square) : 0.0f;
  own_.assign(static_cast<std::size_t>(threads), std::vector<float>(trained_, start));
}

void Hogwild::copy_parameters(std::span<float> own) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (sharing_.locking) lock.lock();
  racy::copy(learner_.parameters(), own);
}

UpdateInfo Hogwild::apply(int thread, std::span<const float> gradient, std::int64_t steps) {
  gradient = gradient.first(trained_);
  const auto& config = learner_.config();
  const double norm = std::sqrt(sum_of_squares(gradient));
  const float scale = clip_scale(norm, config.clip_norm);
  const float lr = learning_rate(config, steps);
  const auto statistics =
      own_.empty() ? shared_ : std::span(own_[static_cast<std::size_t>(thread)]);
  std::unique_lock lock(mutex_, std::defer_lock);
  if (sharing_.locking) lock.lock();
  step(statistics, gradient, scale, lr);
  return {norm, lr};
}

void Hogwild::step(std::span<float> statistics, std::span<const float> gradient, float scale,
                   float lr) {
  const auto& config = learner_.config();
  const auto theta = learner_.parameters().first(trained_);
  if (config.kind == "momentum") {
    return racy::momentum(static_cast<float>(config.momentum), gradient, scale, lr, statistics,
                          theta);
  }
  const racy::RmsPropRule rule{static_cast<float>(config.decay), static_cast<float>(config.epsilon),
                               config.epsilon_inside};
  racy::rmsprop(rule, gradient, scale, lr, statistics, theta);
}

void Hogwild::observe(std::span<const std::span<const std::byte>> pieces) {
  if (!learner_.architecture().normalises_inputs) return;
  const std::lock_guard lock(mutex_);
  // Other threads may copy the parameters meanwhile, so only racy::copy() writes to them.
  const auto shared = learner_.parameters().subspan(trained_);
  std::vector<float> own(shared.begin(), shared.end());
  add_observations(pieces, input_statistics_in(own));
  racy::copy(own, shared);
}

std::vector<Optimizer::Slot> Hogwild::slots() {
  std::vector<Optimizer::Slot> all;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    all.push_back({"thread_" + std::to_string(i), own_[i]});
  }
  return all;
}

}  // namespace tandem
