#include "tandem/data/rollout.h"

#include <algorithm>

namespace tandem {

Rollout::Rollout(const EnvSpec& spec, int steps, int envs)
    : steps_(steps), envs_(envs), observation_bytes_(spec.observation_bytes()) {
  const auto samples = static_cast<std::size_t>(steps) * envs;
  observations_.resize((samples + envs) * observation_bytes_);
  actions_.resize(samples);
  rewards_.resize(samples);
  discounts_.resize(samples);
  values_.resize(samples + envs);
}

std::span<std::byte> Rollout::observations(int t) {
  const auto row_bytes = envs_ * observation_bytes_;
  return std::span(observations_).subspan(t * row_bytes, row_bytes);
}

void Rollout::carry_over() { std::ranges::copy(observations(steps_), observations(0).begin()); }

}  // namespace tandem
