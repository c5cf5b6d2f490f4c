// Many environments behind one interface, stepped by worker threads or in the caller's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tandem/env/env.h"

namespace tandem {

/// Makes the environment with the given global index.
using EnvFactory = std::function<std::unique_ptr<Env>(int index)>;

/// A finished game: raw rewards summed over the whole game, lost lives included.
struct Episode {
  int env = 0;                // global index of the environment
  double episode_return = 0;  // sum of the raw rewards
  std::int64_t steps = 0;     // of the environment, from the game's start to its end
};

/// The environments of a VecEnv, and the threads that step them. Value type.
struct VecEnvOptions {
  int first = 0;           // global index of the first environment
  int count = 1;           // how many environments
  int threads = 0;         // worker threads; 0: step in the caller's thread
  std::uint64_t seed = 0;  // environment i draws from Stream(seed, i), i its global index
};

/// Many environments with frame stacking, same-step reset and episode statistics. An episode that
/// ends is reset in the same step: the observation written is the first of the next episode, and
/// the final one is kept for bootstrapping. An Error in an environment is rethrown to the caller
/// with the environment's global index in its message; the others stay usable, and that one answers
/// every step with the same error until the next reset or load. Results do not depend on `threads`.
/// Misuse (sending to an environment that is still stepping) throws std::logic_error. Not
/// thread-safe: one caller at a time.
class VecEnv {
 public:
  /// Makes all environments. Throws Error when one cannot be made.
  VecEnv(const EnvFactory& factory, const VecEnvOptions& options);
  ~VecEnv();
  VecEnv(VecEnv&&) noexcept;
  VecEnv& operator=(VecEnv&&) noexcept;

  /// The observations and actions of each environment.
  [[nodiscard]] const EnvSpec& spec() const;
  /// How many environments there are.
  [[nodiscard]] int size() const;

  /// The global index of environment `id` (0-based here).
  [[nodiscard]] int index(int id) const;

  /// The stream of environment `id`, from which its actions are drawn. Must not be used while the
  /// environment steps.
  [[nodiscard]] Stream& stream(int id);

  /// Starts every environment; writes the stacked observations [size, observation].
  void reset(std::span<std::byte> observations);

  /// Starts one step of environment ids[k] with actions[k]. Its observation goes to observations[k]
  /// (observation_bytes() each), which must stay valid until it is received or the VecEnv is
  /// destroyed.
  void send(std::span<const int> ids, std::span<const Action> actions,
            std::span<std::byte* const> observations);

  /// Waits until at least `at_least` environments are ready. Returns the ids of all ready ones, in
  /// no order, valid until the next receive. Rethrows the first error of an environment; the next
  /// call receives the other ready ones.
  std::span<const int> receive(int at_least);

  /// Calls send() and receive() for all: actions [size], observations [size, observation]. All
  /// environments have ended their step when it returns or throws.
  void step(std::span<const Action> actions, std::span<std::byte> observations);

  /// The result of the last step of environment `id`.
  [[nodiscard]] const StepResult& result(int id) const;

  /// The stacked observation that ended the last episode of `id`.
  [[nodiscard]] std::span<const std::byte> final_observation(int id) const;

  /// Takes the games that finished since the last call, by order of environment. Games of an
  /// environment that is still stepping come with a later call.
  std::vector<Episode> take_episodes();

  /// Saves all environments, streams, frame stacks and episode counters. Call it only between
  /// steps.
  void save(StateWriter& writer) const;

  /// Loads what save() wrote, and writes the current stacked observations, as reset does.
  void load(StateReader& reader, std::span<std::byte> observations);

  /// The current picture of environment `id`, for videos.
  [[nodiscard]] Picture render(int id) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tandem
