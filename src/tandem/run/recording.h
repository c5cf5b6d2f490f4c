// Records one game as a video.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>

#include "tandem/acting/games.h"
#include "tandem/algo/acting_rule.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The game to record, and how much of it. Value type.
struct RecordingOptions {
  double seconds = std::numeric_limits<double>::infinity();  // the most seconds of play
  int scale = 0;                                             // see VideoOptions
  Play play = Play::sampled;
  std::uint64_t seed = 0;
  /// Called after each step of the game. An exception that it throws ends the recording.
  std::function<void()> on_step = [] {};
};

/// The result of a recording.
struct Recording {
  double game_return = 0;  // raw, up to the end of the recording
  std::int64_t steps = 0;
  double seconds = 0;  // of the video
  bool whole = false;  // whether the game ended before the limit
};

/// Plays a game and writes it as a video at the speed of play: one picture a step, of the state in
/// which the action was chosen. Throws Error when the environment has no pictures, or as
/// VideoWriter does.
Recording record_game(const std::filesystem::path& file, const RecordingOptions& options,
                      const EnvFactory& make_env, Network& network, const ActingRule& rule);

}  // namespace tandem
