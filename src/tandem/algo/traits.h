// The abilities of an algorithm, as data against which systems, networks and environments are
// checked.
#pragma once

namespace tandem {

/// Where an algorithm's experience comes from.
enum class LearnsFrom {
  rollouts,  // the newest steps of the actors
  replay     // transitions drawn from a memory of many
};

/// The needs and the abilities of one algorithm. Value type.
struct AlgorithmTraits {
  LearnsFrom learns_from = LearnsFrom::rollouts;  // where its experience comes from
  bool actor_critic = true;                       // else it values actions, by target networks
  bool passes = false;                // it goes several times through the same experience
  bool discrete = true;               // it can choose among discrete actions
  bool continuous = false;            // it can choose continuous actions
  bool recurrent = true;              // it can learn with a recurrent state (net.lstm)
  bool deterministic_policy = false;  // it trains net.arch = dpg, which no other algorithm does
};

}  // namespace tandem
