// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// An emulated Atari 2600 with one game in it: what the plug-in needs of ALE.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "screen.h"
#include "tandem/base/state.h"

namespace ale {
class ALEInterface;
}

namespace tandem::atari {

/// What a game is started with. Value type.
struct ConsoleOptions {
  std::int64_t seed = 0;        // of ALE's own generator: it decides about sticky actions
  double sticky = 0;            // probability that a frame repeats the action before
  std::int64_t max_frames = 0;  // of a game; 0: no limit
  std::int64_t mode = -1;       // -1: the game's own default
  std::int64_t difficulty = -1;
};

/// One emulator. Actions are ALE's numbers: 0 NOOP, 1 FIRE, 2 UP and so on up to 17. Not
/// thread-safe; separate instances may be made and used by separate threads.
class Console {
 public:
  static constexpr int kNoop = 0;
  static constexpr int kFire = 1;

  /// `rom` must have come from Roms::find(). Throws Error when the game cannot be played under the
  /// options, with what it has instead.
  Console(const std::filesystem::path& rom, const ConsoleOptions& options);
  ~Console();

  [[nodiscard]] std::vector<int> minimal_actions() const;  // those the game uses
  [[nodiscard]] std::vector<int> all_actions() const;
  static std::string action_name(int action);

  /// Keeps ALE from telling on stderr what it loads. For the whole process; not thread-safe.
  static void silence_ale();

  void new_game();
  int act(int action);  // one frame; returns the raw reward
  [[nodiscard]] bool over() const;
  [[nodiscard]] bool truncated() const;  // max_frames reached
  [[nodiscard]] int lives() const;

  [[nodiscard]] int height() const;                     // rows of the screen
  [[nodiscard]] std::size_t screen_bytes() const;       // height * 160
  [[nodiscard]] const std::uint8_t* screen() const;     // palette indices, row by row
  [[nodiscard]] GrayLevels gray_levels() const;         // of the palette, as ALE has them
  [[nodiscard]] std::vector<std::uint8_t> rgb() const;  // of the screen, 3 bytes a pixel

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  std::unique_ptr<ale::ALEInterface> ale_;
};

}  // namespace tandem::atari
