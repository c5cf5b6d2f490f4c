// One system's play, as a cluster's actor needs it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tandem/acting/actor_played.h"
#include "tandem/acting/network_copy.h"
#include "tandem/base/state.h"
#include "tandem/env/vec_env.h"

namespace tandem {

/// Whether an actor may report a count: it is not negative, and sums of such do not overflow. Pure.
[[nodiscard]] bool can_be_counted(std::int64_t number);

/// Throws Error unless these games are ones of the environments [first_env, first_env + envs).
/// Pure.
void require_own_episodes(std::span<const Episode> episodes, int first_env, int envs);

/// The environments of one actor, which plays them and packs what it experiences. Its unit is that
/// of the credits: transitions, or samples of rollouts. Not thread-safe.
class ClusterPlayer {
 public:
  virtual ~ClusterPlayer() = default;

  /// Starts every environment. Call it, or load(), once before the first play().
  virtual void start() = 0;
  virtual void save(StateWriter& writer) = 0;
  virtual void load(StateReader& reader) = 0;

  /// Calls `function` after each step of the environments within play(), where that has several.
  virtual void on_step(const std::function<void()>& /*function*/) {}

  /// Plays the shortest piece that the system knows: a step of each environment, or an unroll.
  virtual void play() = 0;

  /// The units that are packed and have not been taken.
  [[nodiscard]] virtual std::int64_t packed() const = 0;
  /// Their size in bytes.
  [[nodiscard]] virtual std::size_t packed_bytes() const = 0;
  /// Takes the packed units.
  virtual void take(StateWriter& writer) = 0;

  virtual ActorPlayed take_played() = 0;
};

}  // namespace tandem
