// Many environments behind one interface, stepped by worker threads, by a group of their own, or in
// the caller's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/env/env.h"
#include "tandem/env/env_group.h"
#include "tandem/env/start_state.h"

namespace tandem {

/// A finished game: raw rewards summed over the whole game, lost lives included.
struct Episode {
  int env = 0;  // global index of the environment
  /// Sum of the scores (StepResult::score) or, where there are none, of the raw rewards; of several
  /// agents: the mean of their sums.
  double episode_return = 0;
  std::int64_t steps = 0;  // of the environment, from the game's start to its end
};

/// When an environment whose episode has ended is reset, and by which call.
enum class Autoreset {
  same_step,  // the step that ended it; the final observation is kept
  next_step,  // the next step, whatever its action: it has reward 0
  disabled    // the caller, by VecEnv::reset(); a step before that is an Error
};

/// The environments of a VecEnv, and the threads that step them. Value type.
struct VecEnvOptions {
  int first = 0;           // global index of the first environment
  int count = 1;           // how many environments
  int threads = 0;         // worker threads; 0: step in the caller's thread
  std::uint64_t seed = 0;  // row r draws from Stream(seed, r), r its global index
  Autoreset autoreset = Autoreset::same_step;  // when ended episodes are reset
  /// Not empty: one seed an environment; agent a of environment i draws from Stream(seeds[i], a).
  std::vector<std::uint64_t> seeds = {};
};

/// Many environments with frame stacking, resets and episode statistics. Each agent of each
/// environment has a row: an observation, an action, a reward and a stream. Row r belongs to agent
/// r % spec().agents of environment r / spec().agents; where an environment has one agent, rows are
/// environments. With Autoreset::same_step, an episode that ends is reset in the same step: the
/// observation written is the first of the next episode, and the final one is kept for
/// bootstrapping. An Error in an environment is rethrown to the caller with the environment's
/// global index in its message; the others stay usable, and that one answers every step with the
/// same error until the next reset or load. Results do not depend on `threads`. Misuse (sending to
/// an environment that is still stepping) throws std::logic_error. Not thread-safe: one caller at a
/// time.
class VecEnv {
 public:
  /// Makes all environments. Throws Error when one cannot be made.
  VecEnv(const EnvFactory& factory, const VecEnvOptions& options);
  ~VecEnv();
  VecEnv(VecEnv&&) noexcept;
  VecEnv& operator=(VecEnv&&) noexcept;

  /// The observations and actions of each environment.
  [[nodiscard]] const EnvSpec& spec() const;
  /// How many rows there are: environments times agents.
  [[nodiscard]] int size() const;
  /// How many environments there are.
  [[nodiscard]] int envs() const;

  /// The global index of a row (0-based here).
  [[nodiscard]] int index(int row) const;

  /// The stream of a row, from which its actions are drawn. Must not be used while the environment
  /// steps.
  [[nodiscard]] Stream& stream(int row);

  /// Starts every environment; writes the stacked observations [size, observation].
  void reset(std::span<std::byte> observations);

  /// Starts these environments; the others stay where they are. The observations of environment
  /// ids[k] go to observations[k].
  void reset(std::span<const int> ids, std::span<std::byte* const> observations);

  /// Starts one step of environments `ids` with `actions`, agents actions for each. The
  /// observations of ids[k] go to observations[k] (agents x observation_bytes()), which must stay
  /// valid until it is received or the VecEnv is destroyed.
  void send(std::span<const int> ids, std::span<const Action> actions,
            std::span<std::byte* const> observations);

  /// Waits until at least `at_least` environments are ready. Returns the ids of all ready ones, in
  /// no order, valid until the next receive. Rethrows the first error of an environment; the next
  /// call receives the other ready ones.
  std::span<const int> receive(int at_least);

  /// Whether a step of environment `id` was sent and has not been received.
  [[nodiscard]] bool in_flight(int id) const;

  /// Calls send() and receive() for all: actions [size], observations [size, observation]. All
  /// environments have ended their step when it returns or throws. The caller's thread steps
  /// environments, too.
  void step(std::span<const Action> actions, std::span<std::byte> observations);

  /// The result of the last step of the environment of this row.
  [[nodiscard]] const StepResult& result(int row) const;

  /// The reward of this row at the last step.
  [[nodiscard]] float reward(int row) const;

  /// The stacked observation of this row that ended its last episode.
  [[nodiscard]] std::span<const std::byte> final_observation(int row) const;

  /// Writes the current stacked observation of a row again.
  void show(int row, std::byte* observation) const;

  /// Takes the games that finished since the last call, by order of environment. Games of an
  /// environment that is still stepping come with a later call.
  std::vector<Episode> take_episodes();

  /// The present state of environment `id`, between two steps of a game. Only where spec().saves.
  [[nodiscard]] StartState capture(int id) const;

  /// Begins a game of environment `id` in this state, in place of a reset; the streams stay as they
  /// are. Writes its observations (agents x observation_bytes()). Returns and lengths count from
  /// there. Throws Error when the state is damaged or of another environment.
  void begin_at(int id, const StartState& start, std::byte* observation);

  /// Saves all environments, streams, frame stacks and episode counters. Call it only between
  /// steps, and after a reset. Where spec().saves is false, it saves the streams alone.
  void save(StateWriter& writer) const;

  /// Loads what save() wrote, and writes the current stacked observations, as reset does. Returns
  /// whether the games go on where they were; where spec().saves is false, they begin anew.
  [[nodiscard]] bool load(StateReader& reader, std::span<std::byte> observations);

  /// The current picture of environment `id`, for videos. Throws Error for one whose bytes do not
  /// fit its size.
  [[nodiscard]] Picture render(int id) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tandem
