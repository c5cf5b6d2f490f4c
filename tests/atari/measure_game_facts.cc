// Measures the facts that plugins/atari/game_facts.cc lists of each game, and prints its table.
//
//   measure_game_facts ROM_FOLDER
//
// The lives of a game are ALE's count after its first frame. A game needs FIRE if no reward, lost
// life or end comes in a minute of random actions without FIRE, but one comes in a step of FIRE and
// a minute of the same actions. Both must hold with each of three seeds. The program exits with 1
// if a game differs from the table.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "console.h"
#include "game_facts.h"
#include "roms.h"
#include "tandem/base/random.h"

namespace tandem::atari {
namespace {

constexpr int kFramesPerStep = 4;
constexpr int kSteps = 60 * 60 / kFramesPerStep;  // a minute
constexpr int kTimes = 3;

/// ALE's numbers of the actions that press the button: FIRE and the eight directions with it.
bool presses_fire(int action) { return action == Console::kFire || action >= 10; }

/// Holds an action for a step. Returns whether a reward, a lost life or the end came.
bool step(Console& console, int action) {
  const int lives = console.lives();
  for (int frame = 0; frame < kFramesPerStep; ++frame) {
    const int reward = console.act(action, /*seen=*/false);
    if (reward != 0 || console.lives() < lives || console.over()) return true;
  }
  return false;
}

/// Whether anything happens in a minute of `actions`, or in a step of FIRE before it if `fire`.
bool something_happens(Console& console, const std::vector<int>& actions, bool fire,
                       std::uint64_t seed) {
  Stream stream(seed, 0);
  console.new_game(/*seen=*/false);
  step(console, Console::kNoop);
  if (fire && step(console, Console::kFire)) return true;
  for (int i = 0; i < kSteps; ++i) {
    const auto drawn = stream.below(static_cast<std::uint32_t>(actions.size()));
    if (step(console, actions[drawn])) return true;
  }
  return false;
}

bool needs_fire(Console& console) {
  auto actions = console.minimal_actions();
  if (std::ranges::count(actions, Console::kFire) == 0) return false;
  std::erase_if(actions, presses_fire);
  for (std::uint64_t seed = 1; seed <= kTimes; ++seed) {
    if (something_happens(console, actions, false, seed)) return false;
    if (!something_happens(console, actions, true, seed)) return false;
  }
  return true;
}

GameFacts measure(const std::filesystem::path& rom, const std::string& name) {
  const auto console = make_console(rom, {.seed = 1, .simd = best_simd()});
  console->new_game(/*seen=*/false);
  console->act(Console::kNoop, /*seen=*/false);
  const int lives = console->lives();
  return {.rom = name, .lives = lives, .needs_fire = needs_fire(*console)};
}

int run(const std::string& folder) {
  const Roms roms(folder);
  int different = 0;
  for (const auto& game : roms.names()) {
    const auto rom = roms.find(game);
    const auto name = rom.stem().string();
    const auto found = measure(rom, name);
    const auto known = facts_of(name);
    const bool listed = std::ranges::count(all_game_facts(), name, &GameFacts::rom) == 1;
    const bool same = listed && found.lives == known.lives && found.needs_fire == known.needs_fire;
    fmt::print("    GameFacts{{\"{}\", {}, {}}},{}\n", name, found.lives, found.needs_fire,
               same ? "" : "  // differs from the table");
    if (!same) ++different;
  }
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tandem::atari

int main(int argc, char** argv) {
  try {
    if (argc != 2) {
      fmt::print(stderr, "measure_game_facts ROM_FOLDER\n");
      return 2;
    }
    tandem::atari::silence_ale();
    return tandem::atari::run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
