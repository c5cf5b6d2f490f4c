#include "tandem/algo/acting_rule.h"

#include <algorithm>

namespace tandem {
namespace {

/// The action of the highest output in row i.
std::int32_t highest(const Heads& heads, std::size_t i) {
  const auto width = static_cast<std::size_t>(heads.actions);
  const auto outputs = heads.logits.subspan(i * width, width);
  return static_cast<std::int32_t>(std::ranges::max_element(outputs) - outputs.begin());
}

}  // namespace

void ActingRule::act_greedily(const Heads& heads, const Actions& actions) const {
  for (std::size_t i = 0; i < actions.discrete.size(); ++i) actions.discrete[i] = highest(heads, i);
}

void act_epsilon_greedily(const Heads& heads, std::span<Stream* const> streams,
                          std::span<const float> epsilons, const Actions& actions) {
  const auto count = static_cast<std::uint32_t>(heads.actions);
  for (std::size_t i = 0; i < actions.discrete.size(); ++i) {
    const bool blind = streams[i]->uniform() < epsilons[i];
    actions.discrete[i] =
        blind ? static_cast<std::int32_t>(streams[i]->below(count)) : highest(heads, i);
  }
}

float clipped_reward(float raw, double limit) {
  const auto most = static_cast<float>(limit);
  return most > 0 ? std::clamp(raw, -most, most) : raw;
}

}  // namespace tandem
