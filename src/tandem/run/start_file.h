// The file of `tandem starts`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tandem/env/start_state.h"

namespace tandem {

/// States in which games begin, and their origin. Value type.
struct StartFile {
  std::string env = {};  // "atari:Pong"
  /// The keys of the environment's options and their texts: "frame_skip", "4".
  std::vector<std::pair<std::string, std::string>> options = {};
  std::string policy = {};              // the player of the games, in words
  std::uint64_t seed = 0;               // of these games
  std::vector<StartState> starts = {};  // their observations are not normalised (env.normalise)
};

/// Writes the file, so that at every moment either the whole old one or the whole new one is there.
/// Throws Error when it cannot be written.
void write_starts(const StartFile& content, const std::filesystem::path& file);

/// Reads what write_starts() wrote. Throws Error, and names the file, if it cannot be read, is no
/// such file, is damaged or comes from another version.
[[nodiscard]] StartFile read_starts(const std::filesystem::path& file);

}  // namespace tandem
