// Translates an algorithm's actions into the environments' actions.
#pragma once

#include <span>
#include <vector>

#include "tandem/base/random.h"
#include "tandem/data/actions.h"
#include "tandem/env/env.h"

namespace tandem {

/// Turns the actions of up to `envs` samples into actions for environments of one spec: continuous
/// actions are clipped to the spec's bounds. Learning uses the actions before clipping. Not
/// thread-safe.
class EnvActions {
 public:
  /// Reserves memory for the actions of `envs` samples.
  EnvActions(const EnvSpec& spec, int envs);

  /// The environments' actions, as views that are valid until the next call. Throws Diverged for a
  /// continuous action that is not finite.
  std::span<const Action> of(const Actions& chosen);

 private:
  std::vector<float> low_, high_;  // bounds of each dimension; empty: discrete
  std::vector<float> clipped_;
  std::vector<Action> actions_;
};

/// Draws the action of each sample uniformly at random from *streams[i], a continuous one within
/// the spec's bounds. Changes nothing but the streams and the actions.
void act_uniformly(const EnvSpec& spec, std::span<Stream* const> streams, const Actions& actions);

}  // namespace tandem
