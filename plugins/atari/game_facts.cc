// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "game_facts.h"

#include <algorithm>
#include <array>

#include "roms.h"

namespace tandem::atari {
namespace {

// The output of build/tests/measure_game_facts .deps/ale/roms with ALE 0.12.1 and the ROMs of its
// Python package ale-py.
constexpr std::array kGames{
    GameFacts{"adventure", 1, false},
    GameFacts{"air_raid", 1, false},
    GameFacts{"alien", 3, false},
    GameFacts{"amidar", 11, false},
    GameFacts{"assault", 4, false},
    GameFacts{"asterix", 3, false},
    GameFacts{"asteroids", 4, false},
    GameFacts{"atlantis", 6, false},
    GameFacts{"atlantis2", 6, false},
    GameFacts{"backgammon", 1, false},
    GameFacts{"bank_heist", 4, false},
    GameFacts{"basic_math", 1, false},
    GameFacts{"battle_zone", 5, false},
    GameFacts{"beam_rider", 3, false},
    GameFacts{"berzerk", 3, false},
    GameFacts{"blackjack", 1, false},
    GameFacts{"bowling", 0, false},
    GameFacts{"boxing", 0, false},
    GameFacts{"breakout", 5, true},
    GameFacts{"carnival", 0, false},
    GameFacts{"casino", 1, false},
    GameFacts{"centipede", 3, false},
    GameFacts{"chopper_command", 3, false},
    GameFacts{"crazy_climber", 5, false},
    GameFacts{"crossbow", 1, false},
    GameFacts{"darkchambers", 1, false},
    GameFacts{"defender", 3, false},
    GameFacts{"demon_attack", 4, false},
    GameFacts{"donkey_kong", 2, true},
    GameFacts{"double_dunk", 0, false},
    GameFacts{"earthworld", 1, false},
    GameFacts{"elevator_action", 4, false},
    GameFacts{"enduro", 0, false},
    GameFacts{"entombed", 1, false},
    GameFacts{"et", 3, false},
    GameFacts{"fishing_derby", 0, false},
    GameFacts{"flag_capture", 1, false},
    GameFacts{"freeway", 0, false},
    GameFacts{"frogger", 4, false},
    GameFacts{"frostbite", 4, false},
    GameFacts{"galaxian", 4, false},
    GameFacts{"gopher", 3, false},
    GameFacts{"gravitar", 6, false},
    GameFacts{"hangman", 1, false},
    GameFacts{"haunted_house", 9, false},
    GameFacts{"hero", 4, false},
    GameFacts{"human_cannonball", 1, false},
    GameFacts{"ice_hockey", 0, false},
    GameFacts{"jamesbond", 6, false},
    GameFacts{"journey_escape", 0, false},
    GameFacts{"kaboom", 1, false},
    GameFacts{"kangaroo", 3, false},
    GameFacts{"keystone_kapers", 3, false},
    GameFacts{"king_kong", 3, false},
    GameFacts{"klax", 1, false},
    GameFacts{"koolaid", 0, false},
    GameFacts{"krull", 3, false},
    GameFacts{"kung_fu_master", 4, false},
    GameFacts{"laser_gates", 0, false},
    GameFacts{"lost_luggage", 3, false},
    GameFacts{"mario_bros", 5, false},
    GameFacts{"miniature_golf", 1, false},
    GameFacts{"montezuma_revenge", 6, false},
    GameFacts{"mr_do", 4, false},
    GameFacts{"ms_pacman", 3, false},
    GameFacts{"name_this_game", 3, false},
    GameFacts{"othello", 1, false},
    GameFacts{"pacman", 4, false},
    GameFacts{"phoenix", 5, false},
    GameFacts{"pitfall", 3, false},
    GameFacts{"pitfall2", 1, false},
    GameFacts{"pong", 0, false},
    GameFacts{"pooyan", 3, false},
    GameFacts{"private_eye", 0, false},
    GameFacts{"qbert", 4, false},
    GameFacts{"riverraid", 4, false},
    GameFacts{"road_runner", 3, false},
    GameFacts{"robotank", 4, false},
    GameFacts{"seaquest", 4, false},
    GameFacts{"sir_lancelot", 3, false},
    GameFacts{"skiing", 0, false},
    GameFacts{"solaris", 3, false},
    GameFacts{"space_invaders", 3, false},
    GameFacts{"space_war", 1, false},
    GameFacts{"star_gunner", 5, false},
    GameFacts{"superman", 1, false},
    GameFacts{"surround", 1, false},
    GameFacts{"tennis", 0, true},
    GameFacts{"tetris", 0, false},
    GameFacts{"tic_tac_toe_3d", 1, false},
    GameFacts{"time_pilot", 5, false},
    GameFacts{"trondead", 5, false},
    GameFacts{"turmoil", 4, false},
    GameFacts{"tutankham", 3, false},
    GameFacts{"up_n_down", 5, false},
    GameFacts{"venture", 4, false},
    GameFacts{"video_checkers", 1, false},
    GameFacts{"video_chess", 1, false},
    GameFacts{"video_cube", 1, false},
    GameFacts{"video_pinball", 3, false},
    GameFacts{"wizard_of_wor", 3, false},
    GameFacts{"word_zapper", 1, false},
    GameFacts{"yars_revenge", 4, false},
    GameFacts{"zaxxon", 5, false},
};

}  // namespace

std::span<const GameFacts> all_game_facts() { return kGames; }

GameFacts facts_of(std::string_view rom) {
  const auto name = folded(rom);
  const auto found =
      std::ranges::find_if(kGames, [&](const auto& game) { return folded(game.rom) == name; });
  return found == kGames.end() ? GameFacts{.rom = rom} : *found;
}

}  // namespace tandem::atari
