// Plays whole games with a trained policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/acting/env_actions.h"
#include "tandem/acting/recurrent_state.h"
#include "tandem/algo/acting_rule.h"
#include "tandem/env/start_state.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/network.h"

namespace tandem {

/// How actions are chosen.
enum class Play {
  sampled,  // drawn from the policy, or epsilon-greedy with the rule's evaluation_epsilon()
  greedy,   // always the most probable action, or the one of the highest value
  uniform   // any action with the same probability, without regard to the policy
};

/// One whole game in each environment; the loss of a life does not end it. Finished games take no
/// further steps, and the batches of forward passes shrink accordingly. The result does not depend
/// on the VecEnv's threads. Not thread-safe.
class Games {
 public:
  /// Starts all games. `network` and `rule` must outlive this. With `starts`, the game of the
  /// environment with the global index i begins in starts[i % starts.size()], and agents remember
  /// nothing from before. Throws Error when one of them does not fit the environments.
  Games(VecEnv env, Network& network, const ActingRule& rule, Play play,
        std::span<const StartState> starts = {});

  /// Whether all games have ended.
  [[nodiscard]] bool over() const { return playing_.empty(); }

  /// The ids of the environments whose games have not ended, ascending.
  [[nodiscard]] std::span<const int> playing() const { return playing_; }

  /// How many games have ended.
  [[nodiscard]] int ended() const { return env_.envs() - static_cast<int>(playing_.size()); }

  /// Takes one step in every unfinished game. Throws Error when an environment fails.
  void step();

  /// Takes the raw returns and lengths of the games that finished since the last call, in the order
  /// of the environments.
  std::vector<Episode> take_finished() { return env_.take_episodes(); }

  /// The environments. After its game has ended, an environment shows the start of another one.
  [[nodiscard]] const VecEnv& env() const { return env_; }

 private:
  void begin(std::span<const StartState> starts);
  Actions choose_actions();
  std::byte* observation(int row) {
    return &observations_[static_cast<std::size_t>(row) * env_.spec().observation_bytes()];
  }

  VecEnv env_;
  Network& network_;
  const ActingRule& rule_;
  Play play_;
  RecurrentState state_;
  std::vector<int> playing_;             // ids of unfinished games, ascending
  std::vector<int> rows_;                // the rows of their agents
  std::vector<std::byte> observations_;  // by row

  // The following vectors are indexed like rows_, the last one like playing_.
  std::vector<std::byte> batch_;
  HeadsBuffer heads_;
  std::vector<Stream*> streams_;
  std::vector<float> epsilons_;
  std::vector<std::int32_t> chosen_;
  std::vector<float> controls_;  // chosen continuous actions
  EnvActions actions_;
  std::vector<std::byte*> targets_;
};

}  // namespace tandem
