// Plays random actions in scenarios, for AddressSanitizer and its search for leaks.
//
// usage: football_soak FOLDER STEPS [SCENARIO...]
//
// Without a scenario it plays all. Each is played by as many agents as it has players, and in 1,000
// steps or more by one agent for the first half. Every 40 steps the game goes on from a saved state
// in another instance.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "football_env.h"
#include "tandem/env/uniform_action.h"

namespace tandem::football {
namespace {

std::unique_ptr<FootballEnv> make(const std::filesystem::path& folder, const Scenario& scenario,
                                  std::int64_t players) {
  return std::make_unique<FootballEnv>(folder, scenario, FootballOptions{.players = players});
}

constexpr int kStepsOfAnInstance = 40;

// A single agent reaches more of the engine, which plays for the others, but no more of the
// plug-in.
constexpr int kStepsWorthOneAgent = 1'000;

/// Plays so many steps, and moves to another instance again and again.
void soak(const std::filesystem::path& folder, const Scenario& scenario, std::int64_t players,
          int steps) {
  auto env = make(folder, scenario, players);
  std::vector<std::byte> frames(env->spec().step_bytes());
  UniformActions actions(env->spec());
  Stream stream(1, 0);
  Stream choices(2, 0);
  int games = 0;
  bool over = true;
  for (int step = 0; step < steps; ++step) {
    if (over) {
      env->reset(stream, frames);
      ++games;
    }
    over = env->step(actions.draw(choices), stream, frames).game_over;
    if (step % kStepsOfAnInstance != kStepsOfAnInstance - 1) continue;
    StateWriter writer;
    env->save(writer);
    auto next = make(folder, scenario, players);
    StateReader reader(writer.bytes());
    next->load(reader);
    env = std::move(next);
  }
  std::printf("%s, %lld players: %d steps, %d games\n", scenario.name.c_str(),
              static_cast<long long>(players), steps, games);
  std::fflush(stdout);
}

void soak_all(int count, char** words) {
  const std::filesystem::path folder = words[1];
  const int steps = std::atoi(words[2]);
  const auto scenarios = read_scenarios(folder / "scenarios.txt");
  std::vector<std::string> names(words + 3, words + count);
  if (names.empty()) {
    for (const auto& scenario : scenarios) names.push_back(scenario.name);
  }
  for (const auto& name : names) {
    const auto& scenario = find_scenario(scenarios, name);
    const auto most = std::min(scenario.of(0).controllable(), scenario.of(1).controllable());
    const int alone = steps < kStepsWorthOneAgent ? 0 : steps / 2;
    if (alone > 0) soak(folder, scenario, 1, alone);
    soak(folder, scenario, most, steps - alone);
  }
}

}  // namespace
}  // namespace tandem::football

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: football_soak FOLDER STEPS [SCENARIO...]\n", stderr);
    return 2;
  }
  try {
    tandem::football::soak_all(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "football_soak: %s\n", error.what());
    return 1;
  }
  return 0;
}
