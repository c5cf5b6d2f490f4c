// Uniformly random actions for an environment.
#pragma once

#include <cstdint>
#include <span>

#include "tandem/base/streams.h"
#include "tandem/env/uniform_action.h"

namespace tandem {

/// Draws actions from a stream of its own, so the environment's own draws (no-ops, resets) are the
/// same when recorded actions are played back. Not thread-safe.
class RandomActions {
 public:
  RandomActions(const EnvSpec& spec, std::uint64_t seed)
      : actions_(spec), stream_(seed, streams::kRandomActions.id()) {}

  /// The next action of each agent, valid until the next call.
  std::span<const Action> next() { return actions_.draw(stream_); }

 private:
  UniformActions actions_;
  Stream stream_;
};

}  // namespace tandem
