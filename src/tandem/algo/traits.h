// The needs and the abilities of an algorithm, as data. Systems, networks and environments are
// checked against them.
#pragma once

namespace tandem {

/// The source of an algorithm's experience.
enum class LearnsFrom {
  rollouts,  // recent steps of the actors
  replay     // transitions drawn from a large memory
};

/// The needs and the abilities of one algorithm. Value type.
struct AlgorithmTraits {
  LearnsFrom learns_from = LearnsFrom::rollouts;  // the source of its experience
  bool actor_critic = true;           // false: it learns action values, with target networks
  bool passes = false;                // it learns several times from the same experience
  bool discrete = true;               // it can choose among discrete actions
  bool continuous = false;            // it can choose continuous actions
  bool recurrent = true;              // it can learn with a recurrent state (net.lstm)
  bool deterministic_policy = false;  // it needs net.arch = dpg, which no other algorithm trains

  /// Whether its actors add exploration that evaluations leave out: an epsilon for action values,
  /// noise for a deterministic policy. Returns of its training games are then no measure of it.
  [[nodiscard]] bool explores() const { return !actor_critic || deterministic_policy; }
};

}  // namespace tandem
