#include "scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <variant>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"

namespace tandem::football {
namespace {

/// The roles by the names that the table has, in the order of Role.
constexpr std::array<std::string_view, 10> kRoles = {"GK", "CB", "LB", "RB", "DM",
                                                     "CM", "LM", "RM", "AM", "CF"};
constexpr auto kMostPlayers = 11;  // of a team

using Rule = std::variant<bool Setup::*, std::int64_t Setup::*, double Setup::*>;

/// The rules by the names that the package's definitions use.
const std::map<std::string, Rule, std::less<>>& rules() {
  static const std::map<std::string, Rule, std::less<>> table = {
      {"game_duration", &Setup::game_duration},
      {"second_half", &Setup::second_half},
      {"left_team_difficulty", &Setup::left_team_difficulty},
      {"right_team_difficulty", &Setup::right_team_difficulty},
      {"deterministic", &Setup::deterministic},
      {"offsides", &Setup::offsides},
      {"use_magnet", &Setup::use_magnet},
      {"control_all_players", &Setup::control_all_players},
      {"end_episode_on_score", &Setup::end_episode_on_score},
      {"end_episode_on_possession_change", &Setup::end_episode_on_possession_change},
      {"end_episode_on_out_of_play", &Setup::end_episode_on_out_of_play}};
  return table;
}

/// Reads the rest of a player's line; false if it is damaged.
bool read_place(std::istream& line, std::vector<Place>& team) {
  Place place;
  std::string role;
  if (!(line >> place.x >> place.y >> role)) return false;
  const auto known = std::ranges::find(kRoles, role);
  if (known == kRoles.end()) return false;
  place.role = static_cast<Role>(known - kRoles.begin());
  for (std::string word; line >> word;) {
    if (word == "lazy") {
      place.lazy = true;
    } else if (word == "uncontrolled") {
      place.controllable = false;
    } else {
      return false;
    }
  }
  team.push_back(place);
  return team.size() <= kMostPlayers;
}

/// Reads a rule's value; false if it is no number.
bool read_rule(std::istream& line, const Rule& rule, Setup& setup) {
  double value = 0;
  if (!(line >> value)) return false;
  std::visit(
      [&](auto member) {
        auto& target = setup.*member;
        target = static_cast<std::remove_reference_t<decltype(target)>>(value);
      },
      rule);
  return true;
}

/// Reads one line into the setup; false if it is damaged.
bool read_line(const std::string& text, Setup& setup) {
  std::istringstream line(text);
  std::string word;
  line >> word;
  if (word == "ball") return static_cast<bool>(line >> setup.ball_x >> setup.ball_y);
  if (word == "left") return read_place(line, setup.left);
  if (word == "right") return read_place(line, setup.right);
  const auto rule = rules().find(word);
  return rule != rules().end() && read_rule(line, rule->second, setup);
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw Error(fmt::format(
      "football: {} {}; `tandem install football --force` makes the engine and its data anew; if "
      "env.football_dir or $TANDEM_FOOTBALL_DIR names this folder, correct it",
      file.string(), what));
}

/// Whether a setup can be played.
bool complete(const Setup& setup) {
  return !setup.left.empty() && !setup.right.empty() && setup.game_duration > 0;
}

}  // namespace

std::int64_t Setup::controllable() const {
  return std::ranges::count(left, true, &Place::controllable);
}

std::vector<Scenario> read_scenarios(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) refuse(file, "is missing");
  std::vector<Scenario> scenarios;
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (text.empty()) continue;
    constexpr std::string_view kScenario = "scenario ";
    if (text.starts_with(kScenario)) {
      scenarios.push_back({.name = text.substr(kScenario.size())});
      continue;
    }
    if (scenarios.empty()) refuse(file, "does not begin with a scenario");
    auto& [name, even, odd] = scenarios.back();
    if (text == "odd_episodes") {
      odd.emplace();
    } else if (!read_line(text, odd ? *odd : even)) {
      refuse(file, fmt::format("has a damaged line {}: '{}'", number, text));
    }
  }
  for (const auto& scenario : scenarios) {
    if (!complete(scenario.of(0)) || !complete(scenario.of(1))) {
      refuse(file, fmt::format("lacks players or the duration of '{}'", scenario.name));
    }
  }
  if (scenarios.empty()) refuse(file, "holds no scenario");
  return scenarios;
}

const Scenario& find_scenario(const std::vector<Scenario>& scenarios, const std::string& name) {
  const auto found = std::ranges::find(scenarios, name, &Scenario::name);
  if (found != scenarios.end()) return *found;
  std::vector<std::string> names;
  for (const auto& scenario : scenarios) names.push_back(scenario.name);
  throw Error(fmt::format("football: there is no scenario '{}'{}; `tandem envs` lists them all",
                          name, did_you_mean(name, names)));
}

}  // namespace tandem::football
