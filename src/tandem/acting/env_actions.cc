#include "tandem/acting/env_actions.h"

#include <algorithm>

#include "tandem/env/uniform_action.h"

namespace tandem {

EnvActions::EnvActions(const EnvSpec& spec, int envs)
    : low_(spec.action_low),
      high_(spec.action_high),
      clipped_(static_cast<std::size_t>(envs) * low_.size()),
      actions_(static_cast<std::size_t>(envs)) {}

std::span<const Action> EnvActions::of(const Actions& chosen) {
  const auto dims = low_.size();
  const auto count = chosen.discrete.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < dims; ++j) {
      clipped_[i * dims + j] = std::clamp(chosen.continuous[i * dims + j], low_[j], high_[j]);
    }
    actions_[i] = {chosen.discrete[i], std::span(clipped_).subspan(i * dims, dims)};
  }
  return std::span(actions_).first(count);
}

void act_uniformly(const EnvSpec& spec, std::span<Stream* const> streams, const Actions& actions) {
  const auto dims = spec.action_low.size();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto action =
        uniform_action(spec, *streams[i], actions.continuous.subspan(i * dims, dims));
    actions.discrete[i] = action.discrete;
  }
}

}  // namespace tandem
