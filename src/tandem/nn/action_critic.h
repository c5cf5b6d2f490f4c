// The value of actions that the policy did not choose.
#pragma once

#include <cstddef>
#include <span>

namespace tandem {

/// The value side of a network whose value is that of an action, too (Network::critic()). Not
/// thread-safe, as its network.
class ActionCritic {
 public:
  virtual ~ActionCritic() = default;

  /// q(s, a) of each sample: `values` [batch] of the `actions` [batch, dims], in the environment's
  /// units.
  virtual void judge_actions(std::span<const std::byte> observations,
                             std::span<const float> actions, std::span<float> values) = 0;
};

}  // namespace tandem
