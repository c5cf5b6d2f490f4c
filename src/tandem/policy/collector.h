// The verb that every actor shares: act and step, t_max times, into a rollout.
#pragma once

#include <memory>
#include <vector>

#include "tandem/algo/algorithm.h"
#include "tandem/base/clock.h"
#include "tandem/data/rollout.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/network.h"
#include "tandem/policy/recurrent_state.h"

namespace tandem {

/// When a rollout is at its end.
enum class RolloutEnd {
  after_t_max,  // always after t_max steps, as PAAC's
  at_episode,   // or before, with an episode's end, as A3C's. For one environment
};

/// A group of environments that one policy drives. Not thread-safe; collectors of the same
/// parameters run in parallel, each in a thread of its own.
class Collector {
 public:
  /// `network` and `algorithm` must outlive the collector.
  Collector(VecEnv env, Network& network, const Algorithm& algorithm, int t_max,
            RolloutEnd end = RolloutEnd::after_t_max);

  /// Starts every environment. Call it, or load(), once before the first collect().
  void start();

  /// Up to t_max steps of every environment with actions from the current parameters (PAAC's
  /// Algorithm 1, lines 4 to 10), which the network records, then the value of the last state (line
  /// 12). The rollout is valid until the next call.
  const Rollout& collect();

  /// Games finished, and thread-seconds spent, since the last call of each.
  std::vector<Episode> take_episodes() { return env_.take_episodes(); }
  TimeShares take_seconds();

  /// Environments with all their state, and the network's of each; between calls of collect().
  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  void act(int t);
  void step(int t);
  Heads outputs(std::int64_t batch);
  std::span<const float> values(std::span<const int> ids, std::span<const std::byte> observations);

  VecEnv env_;
  Network& network_;
  const Algorithm& algorithm_;
  RolloutEnd end_;
  Rollout rollout_;
  RecurrentState state_;
  std::vector<int> ids_;  // of all environments
  std::vector<float> logits_;
  std::vector<float> value_;
  std::vector<Stream*> streams_;
  std::vector<Action> actions_;
  TimeShares seconds_;
};

}  // namespace tandem
