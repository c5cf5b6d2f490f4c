#include "tandem/data/rollout.h"

#include <algorithm>

namespace tandem {

Rollout::Rollout(const EnvSpec& spec, int t_max, int envs)
    : t_max_(t_max),
      steps_(t_max),
      envs_(envs),
      observation_bytes_(spec.observation_bytes()),
      dims_(spec.action_low.size()) {
  const auto samples = static_cast<std::size_t>(t_max) * envs;
  observations_.resize((samples + envs) * observation_bytes_);
  actions_.resize(samples + envs);
  controls_.resize((samples + envs) * dims_);
  log_probabilities_.resize(samples + envs);
  rewards_.resize(samples);
  discounts_.resize(samples);
  values_.resize(samples + envs);
  epsilons_.resize(envs);
}

std::span<std::byte> Rollout::observations(int t, int rows) {
  const auto row_bytes = envs_ * observation_bytes_;
  return std::span(observations_).subspan(t * row_bytes, rows * row_bytes);
}

void Rollout::carry_over() {
  std::ranges::copy(observations(steps_), observations(0).begin());
  std::ranges::copy(actions(steps_), actions(0).begin());
  steps_ = t_max_;
}

void Rollout::follow(Rollout& other) {
  steps_ = t_max_;
  std::ranges::copy(other.observations(other.steps_), observations(steps_).begin());
  std::ranges::copy(other.actions(other.steps_), actions(steps_).begin());
}

}  // namespace tandem
