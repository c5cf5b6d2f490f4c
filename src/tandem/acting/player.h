// A policy that acts in environments that the caller steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/acting/env_actions.h"
#include "tandem/acting/games.h"
#include "tandem/acting/recurrent_state.h"
#include "tandem/algo/acting_rule.h"
#include "tandem/base/random.h"
#include "tandem/env/env.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/network.h"

namespace tandem {

/// Chooses actions for several environments at once; the caller steps them. It keeps each
/// environment's recurrent state and random stream. Each agent of an environment counts as one. Not
/// thread-safe.
class Player {
 public:
  /// For `envs` environments of this spec. `network` and `rule` must outlive it.
  Player(Network& network, const ActingRule& rule, const EnvSpec& spec, int envs,
         std::uint64_t seed);
  Player(Player&&) = default;
  Player& operator=(Player&&) = delete;
  Player(const Player&) = delete;  // a copy would draw from this one's streams
  Player& operator=(const Player&) = delete;

  /// Actions for observations [envs, observation], which include stacked frames. Continuous actions
  /// lie within the environment's bounds. The views are valid until the next call. Throws Error
  /// when the observations have another size, or a number that is not finite.
  std::span<const Action> act(std::span<const std::byte> observations, Play play);

  /// Call it after an episode of environment `env` has ended, before acting in the next one.
  void restart(int env) { state_.restart(env); }

 private:
  Network& network_;
  const ActingRule& rule_;
  EnvSpec spec_;
  RecurrentState state_;
  EnvActions env_actions_;
  HeadsBuffer heads_;
  std::vector<int> ids_;  // the indices of all environments
  std::vector<Stream> streams_;
  std::vector<Stream*> stream_pointers_;
  std::vector<float> epsilons_;
  std::vector<std::int32_t> discrete_;
  std::vector<float> continuous_;
};

}  // namespace tandem
