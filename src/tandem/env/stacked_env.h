// One environment inside a VecEnv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/env/env.h"
#include "tandem/env/frame_stack.h"
#include "tandem/env/vec_env.h"

namespace tandem {

/// An environment with its stream, frame stack, same-step reset and episode statistics.
/// Observations are spec().observation_bytes() long. Not thread-safe.
class StackedEnv {
 public:
  /// `index` is global: it names the stream and the episodes.
  StackedEnv(std::unique_ptr<Env> env, std::uint64_t seed, int index);

  [[nodiscard]] const Env& env() const { return *env_; }
  [[nodiscard]] const EnvSpec& spec() const { return env_->spec(); }
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] Stream& stream() { return stream_; }

  /// Starts a new game and drops the present one.
  void reset(std::byte* observation);

  /// If the episode ends, the observation is the first of the next episode.
  void step(const Action& action, std::byte* observation);

  /// The result of the last step.
  [[nodiscard]] const StepResult& result() const { return result_; }

  /// The observation that ended the last episode.
  [[nodiscard]] std::span<const std::byte> final_observation() const { return final_observation_; }

  /// Moves the games finished since the last call to the end of `episodes`.
  void take_episodes(std::vector<Episode>& episodes);

  void save(StateWriter& writer) const;
  void load(StateReader& reader, std::byte* observation);

 private:
  void begin_episode(std::byte* observation);

  std::unique_ptr<Env> env_;
  int index_;
  Stream stream_;
  FrameStack frames_;
  std::vector<std::byte> final_observation_;
  StepResult result_;
  Episode game_;  // the present game
  std::vector<Episode> finished_;
};

}  // namespace tandem
