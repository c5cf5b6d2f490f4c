// The value of any action, not only of the policy's own.
#pragma once

#include <cstddef>
#include <span>

namespace tandem {

/// Access to a network whose value depends on an action (Network::critic()). Not thread-safe, like
/// its network.
class ActionCritic {
 public:
  virtual ~ActionCritic() = default;

  /// Writes q(s, a) of each sample into `values` [batch], for `actions` [batch, dims] in the
  /// environment's units.
  virtual void judge_actions(std::span<const std::byte> observations,
                             std::span<const float> actions, std::span<float> values) = 0;
};

}  // namespace tandem
