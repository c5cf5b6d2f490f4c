// Scenarios of Google Research Football: who stands where, and when an episode ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tandem::football {

/// The roles of players, by the numbers that the engine uses.
enum class Role : std::int32_t { gk, cb, lb, rb, dm, cm, lm, rm, am, cf };

/// A player at the kick-off of an episode. Value type.
struct Place {
  float x = 0;  // along the pitch: -1 is the own goal, 1 the other team's
  float y = 0;  // across it, about -0.42 to 0.42
  Role role = Role::gk;
  bool lazy = false;         // the computer does not move it
  bool controllable = true;  // an agent may control it
};

/// The rules and the start of an episode, with the engine's defaults. Value type.
struct Setup {
  std::vector<Place> left = {};   // the agents' team
  std::vector<Place> right = {};  // seen from its own side: its goal is at -1, too
  float ball_x = 0;
  float ball_y = 0;
  std::int64_t game_duration = 3000;       // steps, of 0.1 s each
  std::int64_t second_half = 999'999'999;  // the step at which it begins
  double left_team_difficulty = 1;         // skill of the computer's players, 0 to 1
  double right_team_difficulty = 0.6;      // the same of the other team
  bool deterministic = false;              // the engine's seed is always the same
  bool offsides = true;                    // whether the offside rule holds
  bool use_magnet = true;                  // the engine draws an active player towards the ball
  bool control_all_players = false;        // agents control none or all players of a team
  bool end_episode_on_score = false;       // by either team
  bool end_episode_on_possession_change = false;
  bool end_episode_on_out_of_play = false;  // a foul, a corner and so on

  /// The players of the left team that agents may control.
  [[nodiscard]] std::int64_t controllable() const;
};

/// A scenario. Full games exchange the teams' starts in every second episode. Value type.
struct Scenario {
  std::string name;               // "academy_3_vs_1_with_keeper"
  Setup even = {};                // of the episodes 0, 2, 4 and so on
  std::optional<Setup> odd = {};  // of the others; empty: the same

  /// The setup of an episode.
  [[nodiscard]] const Setup& of(std::uint64_t episode) const {
    return odd && episode % 2 == 1 ? *odd : even;
  }
};

/// Reads the table that tools/football_scenarios.py writes. Throws Error when the file is missing
/// or damaged; the message says how to make it.
std::vector<Scenario> read_scenarios(const std::filesystem::path& file);

/// The scenario of this name. Throws Error, with the nearest name, when there is none.
const Scenario& find_scenario(const std::vector<Scenario>& scenarios, const std::string& name);

}  // namespace tandem::football
