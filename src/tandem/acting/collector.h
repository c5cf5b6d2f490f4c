// The verb that every actor shares: act and step, t_max times, into a rollout.
#pragma once

#include <memory>
#include <vector>

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

/// What the policy makes of the last state of a rollout, which is the first of the next one.
enum class LastState {
  looked_at_again,  // by the parameters of then, and recorded
  acted_on          // the forward pass that says what it is worth also chooses the next action
};

/// A group of environments that one policy drives. Not thread-safe; collectors of the same
/// parameters run in parallel, each in a thread of its own.
class Collector {
 public:
  /// `network` acts; `target` tells what states are worth beyond the rollout, or `network` where it
  /// is null. They and the parts of `algorithm`, which learns from rollouts, must outlive the
  /// collector.
  Collector(VecEnv env, Network& network, Network* target, const Algorithm& algorithm, int t_max,
            RolloutEnd end = RolloutEnd::after_t_max,
            LastState last_state = LastState::looked_at_again);

  /// Starts every environment. Call it, or load(), once before the first collect().
  void start();

  /// Up to t_max steps of every environment with actions from the current parameters (PAAC's
  /// Algorithm 1, lines 4 to 10), which the network records, then the values that the algorithm
  /// bootstraps from (line 12). `steps` have been taken by all so far: exploration depends on it.
  /// The rollout is valid until the next call.
  Rollout& collect(std::int64_t steps);

  /// Forgets what the policy of the last rollout made of its last state: it may have moved far
  /// since.
  void look_again() { looked_ahead_ = false; }

  /// Gives away the rollout just collected for one of the same shape, to write the next into.
  void exchange(Rollout& other);

  /// Games finished, and thread-seconds spent, since the last call of each.
  std::vector<Episode> take_episodes() { return env_.take_episodes(); }
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
  Heads outputs(std::int64_t batch);
  [[nodiscard]] bool chooses_ahead() const { return bootstrap_ == Bootstrap::every_action; }

  VecEnv env_;
  Network& network_;
  Network& target_;
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
