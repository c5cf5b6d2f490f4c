// Translates an algorithm's actions into those of the environments.
#pragma once

#include <span>
#include <vector>

#include "tandem/data/actions.h"
#include "tandem/env/env.h"

namespace tandem {

/// Turns the actions of up to `envs` samples into those of the environments of one spec: continuous
/// actions are clipped to the spec's bounds. Learning uses the actions as they were drawn. Not
/// thread-safe.
class EnvActions {
 public:
  /// Room for the actions of `envs` samples.
  EnvActions(const EnvSpec& spec, int envs);

  /// Views that hold until the next call.
  std::span<const Action> of(const Actions& chosen);

 private:
  std::vector<float> low_, high_;  // of each dimension; empty: discrete
  std::vector<float> clipped_;
  std::vector<Action> actions_;
};

}  // namespace tandem
