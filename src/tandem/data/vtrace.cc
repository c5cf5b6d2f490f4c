#include "tandem/data/vtrace.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tandem {

/// Remark 1 of the paper: v_s - V(x_s) = rho_s delta_s + discount_s c_s (v_{s+1} - V(x_{s+1})),
/// from the last step to the first.
void vtrace(const Rollout& rollout, std::span<const float> values,
            std::span<const float> log_ratios, const VtraceLimits& limits,
            const VtraceTargets& out) {
  const auto rewards = rollout.rewards();
  const auto discounts = rollout.discounts();
  const auto envs = static_cast<std::size_t>(rollout.envs());
  auto next_values = rollout.values().last(envs);
  std::vector<float> next_errors(envs);  // v_{s+1} - V(x_{s+1})
  for (std::size_t row = values.size(); row > 0; row -= envs) {
    const auto first = row - envs;
    for (std::size_t e = 0; e < envs; ++e) {
      const auto i = first + e;
      const float ratio = std::exp(log_ratios[i]);
      const float rho = std::min(limits.rho, ratio);
      const float c = std::min(limits.c, ratio);
      const float delta = rewards[i] + discounts[i] * next_values[e] - values[i];
      out.advantages[i] = rho * (delta + discounts[i] * next_errors[e]);
      next_errors[e] = rho * delta + discounts[i] * c * next_errors[e];
      out.values[i] = values[i] + next_errors[e];
    }
    next_values = values.subspan(first, envs);
  }
}

}  // namespace tandem
