#include "tandem/acting/env_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/error.h"
#include "tandem/env/uniform_action.h"

namespace tandem {
namespace {

/// An environment would show numbers that are not finite after such an action, and get the blame.
[[noreturn]] void refuse_action(float number) {
  throw Diverged(
      fmt::format("the policy's action became {}, so its training has diverged; try a lower "
                  "optimizer.lr, or go on from an earlier checkpoint",
                  std::isnan(number) ? "not a number" : "infinite"));
}

}  // namespace

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
      const float wanted = chosen.continuous[i * dims + j];
      if (!std::isfinite(wanted)) refuse_action(wanted);
      clipped_[i * dims + j] = std::clamp(wanted, low_[j], high_[j]);
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
