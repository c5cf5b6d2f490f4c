#include "action_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/error.h"

namespace tandem::python {
namespace {

/// Wrappers that scale actions, as gymnasium.wrappers.RescaleAction, pass a bound by a rounding
/// error of so much of it.
constexpr float kRounding = 1e-6F;

[[noreturn]] void refuse_shape(const std::string& given, const std::string& wanted) {
  throw Error(
      fmt::format("the actions have the shape {}; these environments take {}", given, wanted));
}

}  // namespace

ActionRows::ActionRows(const EnvSpec& spec, int count)
    : spec_(spec), agents_(static_cast<std::size_t>(spec.agents)) {
  actions_.resize(static_cast<std::size_t>(count) * agents_);
  continuous_.resize(spec.discrete() ? 0 : actions_.size() * spec.action_low.size());
}

/// The name of a row of these environments, for messages.
std::string ActionRows::owner(std::size_t row, std::span<const int> ids) const {
  const auto environment = fmt::format("environment {}", ids[row / agents_]);
  return agents_ == 1 ? environment : fmt::format("player_{} of {}", row % agents_, environment);
}

void ActionRows::read(const Discrete& actions, std::span<const int> ids) {
  const auto rows = ids.size() * agents_;
  if (!spec_.discrete()) {
    refuse_shape(fmt::format("[{}]", actions.size()),
                 fmt::format("[{}, {}] numbers", rows, spec_.action_low.size()));
  }
  if (actions.size() != rows) {
    refuse_shape(fmt::format("[{}]", actions.size()), fmt::format("[{}] integers", rows));
  }
  const auto first = spec_.first_action;
  const auto last = first + spec_.num_actions - 1;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto action = actions.data()[row];
    if (action < first || action > last) {
      throw Error(fmt::format("action {} of {} is out of range: actions are {} to {}", action,
                              owner(row, ids), first, last));
    }
    actions_[row] = {.discrete = static_cast<std::int32_t>(action - first)};
  }
  read_rows_ = rows;
}

void ActionRows::read(const Continuous& actions, std::span<const int> ids) {
  const auto& low = spec_.action_low;
  const auto& high = spec_.action_high;
  const auto rows = ids.size() * agents_;
  if (spec_.discrete() || actions.shape(0) != rows || actions.shape(1) != low.size()) {
    refuse_shape(fmt::format("[{}, {}]", actions.shape(0), actions.shape(1)),
                 spec_.discrete() ? fmt::format("[{}] integers", rows)
                                  : fmt::format("[{}, {}] numbers", rows, low.size()));
  }
  std::copy_n(actions.data(), actions.size(), continuous_.begin());
  for (std::size_t row = 0; row < rows; ++row) {
    const auto action = std::span(continuous_).subspan(row * low.size(), low.size());
    for (std::size_t i = 0; i < low.size(); ++i) {
      const float rounding = kRounding * std::max(std::abs(low[i]), std::abs(high[i]));
      if (action[i] >= low[i] - rounding && action[i] <= high[i] + rounding) {  // false for NaN
        action[i] = std::clamp(action[i], low[i], high[i]);
        continue;
      }
      throw Error(
          fmt::format("number {} of the action of {} is {}; it must be from {} to {}. Clip actions "
                      "first, as gymnasium.wrappers.vector.ClipAction does",
                      i, owner(row, ids), action[i], low[i], high[i]));
    }
    actions_[row] = {.continuous = action};
  }
  read_rows_ = rows;
}

}  // namespace tandem::python
