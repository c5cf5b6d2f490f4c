#include "tandem/data/rollout.h"

namespace tandem {

void n_step_returns(const Rollout& rollout, std::span<float> returns) {
  const auto rewards = rollout.rewards();
  const auto discounts = rollout.discounts();
  const std::size_t envs = rollout.envs();
  // The return after the step: V(s_T) for the last step, the return just computed for the others.
  auto next = rollout.values().last(envs);
  for (std::size_t row = rollout.steps() * envs; row > 0; row -= envs) {
    const auto first = row - envs;
    for (std::size_t e = 0; e < envs; ++e) {
      returns[first + e] = rewards[first + e] + discounts[first + e] * next[e];
    }
    next = returns.subspan(first, envs);
  }
}

void one_step_returns(const Rollout& rollout, std::span<float> returns) {
  const auto rewards = rollout.rewards();
  const auto discounts = rollout.discounts();
  const auto next = rollout.values().subspan(rollout.envs());
  for (std::size_t i = 0; i < returns.size(); ++i) {
    returns[i] = rewards[i] + discounts[i] * next[i];
  }
}

}  // namespace tandem
