// The parts from which actors are built.
#pragma once

#include <cstdint>

#include "tandem/acting/reward_scale.h"
#include "tandem/algo/algorithm.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/network_factory.h"

namespace tandem {

/// Everything that an actor needs, wherever it runs, besides its system's hyperparameters and the
/// network's parameters. Copies share the rule, which must outlive them.
struct ActorContext {
  EnvFactory make_env;                    // of the run's environments
  EnvSpec spec;                           // of each of them
  NetworkFactory make_network;            // a network for each thread
  const ActingRule& rule;                 // how actors choose actions
  Bootstrap bootstrap = Bootstrap::none;  // the states that an actor values for the loss
  std::uint64_t seed = 1;                 // of the environments' streams
  Rewards rewards = Rewards::raw;         // the rewards that actors give to the rule
};

/// Makes the context of actors from whose experience `algorithm` learns. `algorithm` must outlive
/// it. Rewards are raw.
ActorContext make_actor_context(EnvFactory make_env, const EnvSpec& spec,
                                NetworkFactory make_network, const Algorithm& algorithm,
                                std::uint64_t seed);

}  // namespace tandem
