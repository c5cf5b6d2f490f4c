// Uniformly random actions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/random.h"
#include "tandem/env/env.h"

namespace tandem {

/// Draws an action of `spec`. A continuous action lies within its bounds; its values are written to
/// `continuous` (action_dims values), and the action is a view of them. Changes nothing but the
/// stream and `continuous`.
inline Action uniform_action(const EnvSpec& spec, Stream& stream, std::span<float> continuous) {
  if (spec.discrete()) {
    const auto choices = static_cast<std::uint32_t>(spec.num_actions);
    return {.discrete = static_cast<std::int32_t>(stream.below(choices))};
  }
  for (std::size_t i = 0; i < continuous.size(); ++i) {
    const float low = spec.action_low[i], high = spec.action_high[i];
    const float drawn = stream.uniform();
    continuous[i] = std::isfinite(high - low)
                        ? low + (high - low) * drawn
                        : static_cast<float>((1.0 - drawn) * low + double{drawn} * high);
  }
  return {.continuous = continuous};
}

/// One action for each agent of an environment. Not thread-safe.
class UniformActions {
 public:
  explicit UniformActions(const EnvSpec& spec)
      : spec_(spec),
        actions_(static_cast<std::size_t>(spec.agents)),
        continuous_(actions_.size() * spec.action_low.size()) {}

  /// Draws the agents' actions in order. They are valid until the next call.
  std::span<const Action> draw(Stream& stream) {
    const auto dims = spec_.action_low.size();
    for (std::size_t agent = 0; agent < actions_.size(); ++agent) {
      actions_[agent] =
          uniform_action(spec_, stream, std::span(continuous_).subspan(agent * dims, dims));
    }
    return actions_;
  }

 private:
  EnvSpec spec_;
  std::vector<Action> actions_;
  std::vector<float> continuous_;
};

}  // namespace tandem
