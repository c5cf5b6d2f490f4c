// Collects rollouts: acts in a group of environments for t_max steps. Systems that learn from
// rollouts use it; Ape-X's actors, which fill a replay, do not.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/env_actions.h"
#include "tandem/acting/recurrent_state.h"
#include "tandem/acting/reward_scale.h"
#include "tandem/algo/algorithm.h"
#include "tandem/base/clock.h"
#include "tandem/data/rollout.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/network.h"

namespace tandem {

/// When a rollout ends.
enum class RolloutEnd {
  after_t_max,  // always after t_max steps, as in PAAC
  at_episode,   // at an episode's end too, as in A3C; for one environment only
};

/// Whether the forward pass that values the last state of a rollout also gives the first action of
/// the next rollout, which begins in that state.
enum class LastState {
  looked_at_again,  // no: the next rollout evaluates the state again, with the newest parameters
  acted_on          // yes; look() computes the pass, so learning must not need its activations
};

/// A group of environments in which one policy acts. Not thread-safe; several collectors may use
/// the same parameters in parallel, each in a thread of its own.
class Collector {
 public:
  /// `actor` acts according to `rule`. `target` values the states of `bootstrap`, with the
  /// recurrent states that `actor` computed; if it is null, `actor` does. All three must outlive
  /// the collector. `rewards` says whether the rule gets raw rewards or those of a RewardScale,
  /// which the collector then owns and saves.
  Collector(VecEnv env, ActorNetwork& actor, ActorNetwork* target, const ActingRule& rule,
            Bootstrap bootstrap, int t_max, RolloutEnd end = RolloutEnd::after_t_max,
            LastState last_state = LastState::looked_at_again, Rewards rewards = Rewards::raw);

  /// The same for an algorithm that learns from rollouts. Its parts must outlive the collector.
  Collector(VecEnv env, ActorNetwork& actor, ActorNetwork* target, const Algorithm& algorithm,
            int t_max, RolloutEnd end = RolloutEnd::after_t_max,
            LastState last_state = LastState::looked_at_again, Rewards rewards = Rewards::raw);

  /// Resets every environment. Call start() or load() once before the first collect().
  void start();

  /// Takes up to t_max steps of every environment with actions from the current parameters (PAAC's
  /// Algorithm 1, lines 4 to 10), then computes the values that the algorithm bootstraps from (line
  /// 12). Exploration depends on `steps`, the steps that all threads have taken so far, and on the
  /// episodes that an environment has finished: a new one draws a new epsilon. The rollout
  /// is valid until the next call. Throws Error when an environment fails, and when a rollout ends
  /// within an episode but the algorithm does not bootstrap.
  Rollout& collect(std::int64_t steps);

  /// Calls `function` after each step of the environments.
  void on_step(std::function<void()> function) { on_step_ = std::move(function); }

  /// Makes the next collect() evaluate its first state again. Call it when the parameters may have
  /// moved far since an action was chosen for that state.
  void look_again() { looked_ahead_ = false; }

  /// Swaps the rollout just collected with `other`, which must have the same shape and which the
  /// next collect() fills.
  void exchange(Rollout& other);

  /// Games finished since the last call.
  std::vector<Episode> take_episodes() { return env_.take_episodes(); }
  /// Thread-seconds spent since the last call.
  TimeShares take_seconds();

  /// Saves the environments with all their state, their recurrent states, actions chosen in
  /// advance, the numbers of episodes and the scale of rewards. Call it between two calls of
  /// collect().
  void save(StateWriter& writer);

  /// Restores a saved state, which must be the last one in `reader`. A state that an older version
  /// saved has no numbers of episodes; they then start at 0.
  void load(StateReader& reader);

 private:
  void load_chosen(StateReader& reader);
  void set_epsilon(int id);
  void act(int t);
  void step(int t);
  void bootstrap();
  void require_ends(int t);
  void choose_ahead();
  void choose_first();
  float final_value(int id);
  float learnt_reward(int id, bool ended);
  void look_beyond(const Inputs& inputs, const Heads& out);
  void keep_states(int t);
  Inputs inputs_from(int first);
  Heads outputs(std::int64_t batch);
  [[nodiscard]] bool chooses_ahead() const { return bootstrap_ == Bootstrap::every_action; }

  VecEnv env_;
  ActorNetwork& actor_;
  ActorNetwork* target_;  // null: the actor values states
  const ActingRule& rule_;
  const Bootstrap bootstrap_;
  const RolloutEnd end_;
  const LastState last_state_;
  std::function<void()> on_step_;  // may be empty
  bool has_chosen_ = true;     // whether the first state's actions are chosen, where they must be
  bool looked_ahead_ = false;  // whether the heads of the first state are computed already
  Rollout rollout_;
  RecurrentState state_;
  std::vector<int> ids_;  // of all environments
  HeadsBuffer heads_;
  std::vector<Stream*> streams_;
  EnvActions actions_;
  std::optional<RewardScale> reward_scale_;  // empty: rewards are raw
  std::vector<std::int64_t> episodes_;       // by environment: the number of finished episodes
  std::vector<float> epsilons_;              // by environment: of the present step
  std::int64_t steps_ = 0;                   // of all threads when the rollout began
  std::vector<float> later_states_;          // of every state after the first, to be looked at
  TimeShares seconds_;
};

}  // namespace tandem
