// States from the play of a policy, in which games of evaluations begin.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tandem/acting/games.h"
#include "tandem/algo/acting_rule.h"
#include "tandem/env/start_state.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The number of states, and the play that they come from. Value type.
struct StartsOptions {
  int count = 100;  // as the starting points of Nair et al. 2015 for each game
  Play play = Play::sampled;
  std::uint64_t seed = 0;  // of the environments' streams, and of the draws of steps
  int threads = 1;         // that step environments
  /// Called after each step of all unfinished games, with the number of ended ones. An exception
  /// that it throws ends the games and reaches the caller.
  std::function<void(int ended)> on_step = [](int /*ended*/) {};
};

/// Plays `count` whole games and keeps one state of each, drawn uniformly from those in which the
/// policy acted. The same seed gives the same states for any number of threads. Nair et al. 2015
/// ("Massively parallel methods for deep reinforcement learning") take such points from games of
/// people, which are not public. Throws Error when the environment cannot save its state or fails.
[[nodiscard]] std::vector<StartState> record_starts(const StartsOptions& options,
                                                    const EnvFactory& make_env, Network& network,
                                                    const ActingRule& rule);

}  // namespace tandem
