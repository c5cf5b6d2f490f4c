#include "tandem/env/spec_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tandem/base/error.h"

namespace tandem {
namespace {

void require(bool holds, const char* field, const char* need) {
  if (!holds) throw Error(fmt::format("the environment's EnvSpec::{} needs {}", field, need));
}

bool are_bounds(const EnvSpec& spec) {
  for (std::size_t i = 0; i < spec.action_low.size(); ++i) {
    const auto low = spec.action_low[i];
    const auto high = spec.action_high[i];
    if (!std::isfinite(low) || !std::isfinite(high) || low > high) return false;
  }
  return true;
}

/// Arrays of actions have 32 bits for each number that users see.
bool has_small_numbers(const EnvSpec& spec) {
  using Limits = std::numeric_limits<std::int32_t>;
  return spec.first_action >= Limits::min() && spec.first_action <= Limits::max() &&
         spec.num_actions <= Limits::max() - spec.first_action + 1;
}

}  // namespace

void require_sane(const EnvSpec& spec) {
  const auto positive = [](auto size) { return size > 0; };
  require(!spec.frame_shape.empty(), "frame_shape", "the sizes of a frame");
  require(std::ranges::all_of(spec.frame_shape, positive), "frame_shape", "sizes above 0");
  require(spec.stack > 0, "stack", "a frame at least");
  require(spec.agents > 0, "agents", "one at least");
  require(spec.frames_per_step > 0, "frames_per_step", "a frame at least");
  require(spec.discrete() || !spec.action_low.empty(), "num_actions",
          "to be above 0, or action_low and action_high a bound for each number of an action");
  require(!spec.discrete() || spec.action_low.empty(), "action_low",
          "to be empty, because num_actions says that actions are discrete");
  require(spec.action_low.size() == spec.action_high.size(), "action_high",
          "as many numbers as action_low");
  require(are_bounds(spec), "action_low", "finite numbers that are not above action_high's");
  require(has_small_numbers(spec), "first_action",
          "a number from which all actions, num_actions of them, fit into 32 bits");
  const bool named = !spec.action_names.empty();
  require(!named || spec.action_names.size() == static_cast<std::size_t>(spec.num_actions),
          "action_names", "a name for each action, or none");
}

}  // namespace tandem
