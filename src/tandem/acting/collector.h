// Acting and stepping, t_max times, into a rollout. Every actor of every system does it so.
#pragma once

#include <memory>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/env_actions.h"
#include "tandem/acting/recurrent_state.h"
#include "tandem/algo/algorithm.h"
#include "tandem/base/clock.h"
#include "tandem/data/rollout.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/network.h"

namespace tandem {

/// When a rollout is at its end.
enum class RolloutEnd {
  after_t_max,  // always after t_max steps, as PAAC's
  at_episode,   // or before, with an episode's end, as A3C's. For one environment
};

/// Whether evaluating the last state of a rollout also chooses the first action of the next
/// rollout, which begins in that state.
enum class LastState {
  looked_at_again,  // no: the next rollout evaluates it again, by the parameters of then
  acted_on          // yes, by ActorNetwork::look(): learning must not need that pass recorded
};

/// A group of environments that one policy drives. Not thread-safe; collectors of the same
/// parameters run in parallel, each in a thread of its own.
class Collector {
 public:
  /// `actor` acts by `rule`. The states of `bootstrap` are valued by `target`, or by `actor` where
  /// that is null. All three must outlive the collector.
  Collector(VecEnv env, ActorNetwork& actor, Network* target, const ActingRule& rule,
            Bootstrap bootstrap, int t_max, RolloutEnd end = RolloutEnd::after_t_max,
            LastState last_state = LastState::looked_at_again);

  /// Of an algorithm that learns from rollouts, whose parts must outlive the collector.
  Collector(VecEnv env, ActorNetwork& actor, Network* target, const Algorithm& algorithm, int t_max,
            RolloutEnd end = RolloutEnd::after_t_max,
            LastState last_state = LastState::looked_at_again);

  /// Starts every environment. Call it, or load(), once before the first collect().
  void start();

  /// Up to t_max steps of every environment with actions from the current parameters (PAAC's
  /// Algorithm 1, lines 4 to 10), then the values that the algorithm bootstraps from (line 12).
  /// `steps` have been taken by all so far: exploration depends on it. The rollout is valid until
  /// the next call. Throws Error where an environment fails, and where a rollout breaks off within
  /// an episode although the algorithm bootstraps from no state.
  Rollout& collect(std::int64_t steps);

  /// Evaluates the first state of the next rollout again: the parameters may have moved far since
  /// it was acted on.
  void look_again() { looked_ahead_ = false; }

  /// Gives away the rollout just collected for one of the same shape, to write the next into.
  void exchange(Rollout& other);

  /// Games finished since the last call.
  std::vector<Episode> take_episodes() { return env_.take_episodes(); }
  /// Thread-seconds spent since the last call.
  TimeShares take_seconds();

  /// Environments with all their state, the network's of each, actions chosen ahead and the numbers
  /// of episodes; between calls of collect().
  void save(StateWriter& writer);

  /// The state must be the reader's last: one of an older version ends in front of the numbers of
  /// episodes, which then count from 0.
  void load(StateReader& reader);

 private:
  void load_chosen(StateReader& reader);
  void set_epsilons(std::int64_t steps);
  void act(int t);
  void step(int t);
  void bootstrap();
  void require_ends(int t);
  void choose_ahead();
  float final_value(int id);
  void look_beyond(const Inputs& inputs, const Heads& out);
  Heads outputs(std::int64_t batch);
  [[nodiscard]] bool chooses_ahead() const { return bootstrap_ == Bootstrap::every_action; }

  VecEnv env_;
  ActorNetwork& actor_;
  Network* target_;  // null: the actor values states
  const ActingRule& rule_;
  const Bootstrap bootstrap_;
  const RolloutEnd end_;
  const LastState last_state_;
  bool looked_ahead_ = false;  // the heads of the first state are there already
  Rollout rollout_;
  RecurrentState state_;
  std::vector<int> ids_;  // of all environments
  HeadsBuffer heads_;
  std::vector<Stream*> streams_;
  EnvActions actions_;
  std::vector<std::int64_t> episodes_;  // of each environment, begun before the one that goes on
  TimeShares seconds_;
};

}  // namespace tandem
