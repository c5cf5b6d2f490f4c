// What an algorithm is able to do, as data that systems, networks and environments are checked by.
#pragma once

namespace tandem {

/// Where an algorithm's experience comes from.
enum class LearnsFrom {
  rollouts,  // the steps that actors have just taken
  replay     // transitions drawn from a memory of many
};

/// What one algorithm needs, and what it can do. Value type.
struct AlgorithmTraits {
  LearnsFrom learns_from = LearnsFrom::rollouts;  // where its experience comes from
  bool actor_critic = true;                       // else it values actions, by target networks
  bool passes = false;                // it goes several times through the same experience
  bool discrete = true;               // actions that it can choose among,
  bool continuous = false;            // and whether it can choose numbers
  bool recurrent = true;              // it can learn with a recurrent state (net.lstm)
  bool deterministic_policy = false;  // it trains net.arch = dpg, and nothing else does
};

}  // namespace tandem
