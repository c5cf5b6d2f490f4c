// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// An emulated Atari 2600 with one game: the part of ALE that the plug-in uses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "screen.h"
#include "tandem/base/cpu.h"
#include "tandem/base/state.h"

namespace tandem::atari {

/// The options with which a game starts. Value type.
struct ConsoleOptions {
  std::string emulator = "fast";  // "fast": ALE with our patch; "reference": the original
  std::int64_t seed = 0;          // seed of ALE's own generator, which decides about sticky actions
  double sticky = 0;              // probability that a frame repeats the action before
  std::int64_t max_frames = 0;    // length of the longest game; 0: no limit
  std::int64_t mode = -1;         // -1: the game's own default
  std::int64_t difficulty = -1;
  Simd simd = Simd::portable;  // the instructions with which the fast emulator draws
};

/// One emulator. Actions are ALE's numbers: 0 NOOP, 1 FIRE, 2 UP and so on up to 17. Not
/// thread-safe; separate instances may be made and used by separate threads.
class Console {
 public:
  static constexpr int kNoop = 0;
  static constexpr int kFire = 1;

  virtual ~Console() = default;

  [[nodiscard]] virtual std::vector<int> minimal_actions() const = 0;  // actions that the game uses
  [[nodiscard]] virtual std::vector<int> all_actions() const = 0;

  [[nodiscard]] virtual std::vector<int> modes() const = 0;
  [[nodiscard]] virtual std::vector<int> difficulties() const = 0;

  /// Starts a game, which takes some 65 frames; `seen` as for act().
  virtual void new_game(bool seen = true) = 0;

  /// Emulates one frame and returns the raw reward. With `seen` = false it is faster; use that
  /// for frames whose screens nobody will read. Such a screen can still be read, but slowly.
  virtual int act(int action, bool seen = true) = 0;
  [[nodiscard]] virtual bool over() const = 0;
  [[nodiscard]] virtual bool truncated() const = 0;  // whether max_frames was reached
  [[nodiscard]] virtual int lives() const = 0;

  [[nodiscard]] virtual int height() const = 0;                // rows of the screen
  [[nodiscard]] virtual std::size_t screen_bytes() const = 0;  // height * 160
  [[nodiscard]] virtual const std::uint8_t* screen() = 0;      // palette indices, row by row
  [[nodiscard]] virtual GrayLevels gray_levels() const = 0;    // of the palette, as in ALE
  [[nodiscard]] virtual std::vector<std::uint8_t> rgb() = 0;   // of the screen, 3 bytes a pixel
  [[nodiscard]] virtual std::vector<std::uint8_t> ram() const = 0;  // 128 bytes

  /// Both emulators write the same bytes, and each loads those of the other.
  virtual void save(StateWriter& writer) = 0;
  virtual void load(StateReader& reader) = 0;
};

/// `rom` must come from Roms::find(). Throws Error when the game cannot be played under the
/// options; the message names the alternatives.
std::unique_ptr<Console> make_console(const std::filesystem::path& rom,
                                      const ConsoleOptions& options);

/// The name of an action: "UPFIRE" for 10.
std::string action_name(int action);

/// Stops ALE from reporting on stderr what it loads. It affects the whole process; not thread-safe.
void silence_ale();

}  // namespace tandem::atari
