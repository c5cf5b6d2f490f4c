// Uniformly random actions for an environment.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/env/env.h"

namespace tandem {

/// Draws from a stream of its own, so that an environment's own draws (no-ops, resets) are the same
/// when the recorded actions are played back. Not thread-safe.
class RandomActions {
 public:
  RandomActions(const EnvSpec& spec, std::uint64_t seed)
      : spec_(spec), stream_(seed, kStreamId), values_(spec.action_low.size()) {}

  /// The next action; its continuous values are valid until the next call.
  Action next() {
    if (spec_.discrete()) {
      return {.discrete = static_cast<std::int32_t>(
                  stream_.below(static_cast<std::uint32_t>(spec_.num_actions)))};
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const float range = spec_.action_high[i] - spec_.action_low[i];
      values_[i] = spec_.action_low[i] + range * stream_.uniform();
    }
    return {.continuous = values_};
  }

 private:
  // Environments have the ids from 0 on; this one is far above.
  static constexpr std::uint64_t kStreamId = std::uint64_t{2} << 40;

  EnvSpec spec_;
  Stream stream_;
  std::vector<float> values_;
};

}  // namespace tandem
