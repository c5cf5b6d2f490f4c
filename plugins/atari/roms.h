// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// The folder of game ROMs, by the names that Gymnasium uses.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::atari {

/// "spaceinvaders" of both "SpaceInvaders" and "space_invaders". Pure.
[[nodiscard]] std::string folded(std::string_view name);

/// A folder of files such as space_invaders.bin or SpaceInvaders.bin. Value type, immutable;
/// thread-safe.
class Roms {
 public:
  explicit Roms(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The games in the folder for one player, as "SpaceInvaders", in alphabetical order. Empty if
  /// there is no such folder.
  [[nodiscard]] std::vector<std::string> names() const;

  /// The ROM of a game, named "SpaceInvaders" or "space_invaders". Throws Error, which says what to
  /// do, when there is none (with the nearest name) or when the file is not the ROM that ALE knows.
  [[nodiscard]] std::filesystem::path find(const std::string& game) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tandem::atari
