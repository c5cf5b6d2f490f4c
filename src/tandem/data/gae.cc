#include "tandem/data/gae.h"

#include <vector>

namespace tandem {

void gae(Rollout& rollout, float lambda) {
  const auto& read = rollout;
  const auto rewards = read.rewards();
  const auto discounts = read.discounts();
  const auto values = read.values();
  const auto advantages = rollout.advantages();
  const auto returns = rollout.returns();
  const auto envs = static_cast<std::size_t>(rollout.envs());
  std::vector<float> following(envs);  // A_{t+1}
  for (std::size_t row = rewards.size(); row > 0; row -= envs) {
    for (std::size_t e = 0; e < envs; ++e) {
      const auto i = row - envs + e;
      const float delta = rewards[i] + discounts[i] * values[i + envs] - values[i];
      following[e] = delta + discounts[i] * lambda * following[e];
      advantages[i] = following[e];
      returns[i] = following[e] + values[i];
    }
  }
}

}  // namespace tandem
