// Uniformly random actions for an environment.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/env/uniform_action.h"

namespace tandem {

/// Draws actions from a stream of its own, so the environment's own draws (no-ops, resets) are the
/// same when recorded actions are played back. Not thread-safe.
class RandomActions {
 public:
  RandomActions(const EnvSpec& spec, std::uint64_t seed)
      : spec_(spec), stream_(seed, kStreamId), values_(spec.action_low.size()) {}

  /// The next action; its continuous values are valid until the next call.
  Action next() { return uniform_action(spec_, stream_, values_); }

 private:
  // Environments' streams have the ids from 0 on; this id is far above.
  static constexpr std::uint64_t kStreamId = std::uint64_t{2} << 40;

  EnvSpec spec_;
  Stream stream_;
  std::vector<float> values_;
};

}  // namespace tandem
