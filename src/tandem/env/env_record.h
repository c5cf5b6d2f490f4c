// One environment's part of a VecEnv: everything but the environment itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/mendable.h"
#include "tandem/env/env.h"
#include "tandem/env/env_group.h"
#include "tandem/env/frame_stack.h"
#include "tandem/env/start_state.h"
#include "tandem/env/vec_env.h"

namespace tandem {

/// The streams, the frame stack, the present request and the episode statistics of one environment.
/// The caller asks; a stepper then serves the request, with an Env or through a group, and the
/// caller reads the result. Not thread-safe: caller and stepper take turns.
class EnvRecord {
 public:
  /// `id` counts from 0 within the VecEnv.
  EnvRecord(const EnvSpec& spec, const VecEnvOptions& options, int id);

  /// The environment's global index.
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] Stream& stream(int agent) { return streams_[static_cast<std::size_t>(agent)]; }

  /// Requests a new game in place of the present one, and forgets an error.
  void ask_reset(std::byte* observation);

  /// Whether ask_step() is refused, because the caller has to reset the environment first.
  [[nodiscard]] bool needs_reset() const { return ended_ && autoreset_ == Autoreset::disabled; }

  /// Whether a first episode has begun, or a saved state was loaded.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

  /// Requests a step. The actions are copied.
  void ask_step(std::span<const Action> actions, std::byte* observation);

  /// Serves the request with this environment. Keeps an error until the next ask_reset().
  void serve(Env& env) noexcept;

  /// The request for a group, in which the environment has the number `env`. Throws Error for an
  /// action that does not exist.
  [[nodiscard]] GroupRequest request(int env);

  /// Takes a group's answer to it, and keeps an error as serve() does.
  void take(const GroupAnswer& answer) noexcept;

  /// Keeps this error until the next ask_reset().
  void fail(const std::exception_ptr& error) noexcept;

  /// The error that the environment answers with; null: none.
  [[nodiscard]] const std::exception_ptr& error() const { return error_; }

  /// The result of the last step.
  [[nodiscard]] const StepResult& result() const { return result_; }
  [[nodiscard]] float reward(int agent) const {
    return rewards_.empty() ? result_.reward : rewards_[static_cast<std::size_t>(agent)];
  }

  /// An agent's observation that ended the last episode.
  [[nodiscard]] std::span<const std::byte> final_observation(int agent) const;

  /// Writes an agent's present observation.
  void show(int agent, std::byte* observation) const { frames_.copy_to(agent, observation); }

  /// Moves the games finished since the last call to the end of `episodes`.
  void take_episodes(std::vector<Episode>& episodes);

  /// The present state as the start of a game.
  [[nodiscard]] StartState capture(const Env& env) const;
  /// Begins a game in this state, with the record's own streams, and writes the observations.
  void begin_at(Env& env, const StartState& start, std::byte* observation);

  /// Saves the record with its environment; null: without one.
  void save(const Env* env, StateWriter& writer) const;
  /// Loads the state that save() wrote, and writes the observations. Without an environment it
  /// loads the streams alone; the environment then needs a reset.
  void load(Env* env, StateReader& reader, std::byte* observation);

 private:
  template <class Body>
  void guarded(Body body) noexcept;
  void require_actions() const;
  void require_finite_frames() const;
  void clear_result();
  void stepped(const StepResult& result);
  void began();

  const EnvSpec& spec_;
  const Autoreset autoreset_;
  const int index_;
  const std::size_t observation_bytes_;  // of one agent
  std::vector<Stream> streams_;          // by agent; the environment draws from the first
  FrameStack frames_;
  std::vector<std::byte> final_observations_;
  std::vector<std::byte> first_frames_;  // of the next episode, where a group writes them

  bool resets_ = true;  // whether the request is a reset
  std::vector<Action> actions_;
  std::vector<float> continuous_;  // copies: the caller's may be gone before the step
  std::byte* observation_ = nullptr;

  std::exception_ptr error_;
  StepResult result_;
  std::vector<float> rewards_;  // by agent, if there are several
  bool has_begun_ = false;
  bool ended_ = false;  // whether the episode has ended and none has begun since
  Episode game_;        // the present game
  std::vector<Episode> finished_;
};

/// Runs `body`; its errors say in which environment they happened. Exceptions that the user can
/// mend become Error.
template <class Body>
void naming_environment(int index, Body body) {
  const auto named = [index](const std::string& words) {
    return "environment " + std::to_string(index) + ": " + words;
  };
  try {
    body();
  } catch (const Error& error) {
    throw Error(named(error.what()));
  } catch (const std::exception& error) {
    if (const auto words = mendable(error)) throw Error(named(*words));
    throw std::runtime_error(named(error.what()));
  } catch (...) {  // no handler further up would catch it
    throw std::runtime_error(named("it threw something that is no std::exception"));
  }
}

}  // namespace tandem
