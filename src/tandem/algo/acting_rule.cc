#include "tandem/algo/acting_rule.h"

#include <algorithm>

namespace tandem {

void ActingRule::act_greedily(const Heads& heads, const Actions& actions) const {
  const auto width = static_cast<std::size_t>(heads.actions);
  for (std::size_t i = 0; i < actions.discrete.size(); ++i) {
    const auto outputs = heads.logits.subspan(i * width, width);
    actions.discrete[i] =
        static_cast<std::int32_t>(std::ranges::max_element(outputs) - outputs.begin());
  }
}

float clipped_reward(float raw, double limit) {
  const auto most = static_cast<float>(limit);
  return most > 0 ? std::clamp(raw, -most, most) : raw;
}

}  // namespace tandem
