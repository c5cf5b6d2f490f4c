// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// Facts about each game, from which options with the value "auto" follow.
#pragma once

#include <span>
#include <string_view>

namespace tandem::atari {

/// The facts of one game, in its default mode. Value type.
struct GameFacts {
  std::string_view rom;     // "space_invaders", the name of the ROM's file
  int lives = 0;            // lives at the start of a game as ALE counts them; 0: it counts none
  bool needs_fire = false;  // nothing happens in the game until FIRE is pressed
};

/// All games for one player, in the order of their names. They come from the emulator itself:
/// tests/atari/measure_game_facts.cc explains how, and is a test that measures them again.
[[nodiscard]] std::span<const GameFacts> all_game_facts();

/// The facts of a ROM's game. A game that is not in the table has no lives and does not need FIRE.
[[nodiscard]] GameFacts facts_of(std::string_view rom);

}  // namespace tandem::atari
