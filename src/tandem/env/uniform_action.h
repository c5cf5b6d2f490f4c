// Uniformly random actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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
    const float range = spec.action_high[i] - spec.action_low[i];
    continuous[i] = spec.action_low[i] + range * stream.uniform();
  }
  return {.continuous = continuous};
}

}  // namespace tandem
