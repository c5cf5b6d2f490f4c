// Microseconds from two screens to an observation, by game and path, on this CPU.
//
// The paths take turns on the same recorded screens, so that other work on the machine affects all
// of them. Prints a Markdown table: least and median of the rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "console.h"
#include "observer.h"
#include "roms.h"
#include "tandem/base/clock.h"
#include "tandem/base/cpu.h"
#include "tandem/base/error.h"
#include "tandem/base/median.h"
#include "tandem/base/random.h"

namespace tandem::atari {
namespace {

using Screen = std::vector<std::uint8_t>;

constexpr int kPairs = 16;
constexpr int kRounds = 2000;

struct Pair {
  Screen first, second;
};

// The last two frames of every 40th step of random play.
std::vector<Pair> record(Console& console) {
  constexpr int kStepsBetween = 40;
  constexpr int kFrames = 4;
  const auto actions = console.minimal_actions();
  const auto copy = [&] {
    return Screen(console.screen(), console.screen() + console.screen_bytes());
  };
  Stream stream(1, 0);
  std::vector<Pair> pairs;
  Screen before;
  for (int step = 1; pairs.size() < kPairs; ++step) {
    const int action = actions[stream.below(static_cast<std::uint32_t>(actions.size()))];
    for (int frame = 0; frame < kFrames; ++frame) {
      if (frame == kFrames - 1) before = copy();
      console.act(action);
    }
    if (console.over()) console.new_game();
    if (step % kStepsBetween == 0) pairs.push_back({before, copy()});
  }
  return pairs;
}

double microseconds(const Observer& observer, const std::vector<Pair>& pairs) {
  std::vector<std::uint8_t> observation(std::size_t{kSide} * kSide);
  const Stopwatch watch;
  for (const auto& [first, second] : pairs) {
    observer(first.data(), second.data(), observation.data());
  }
  return watch.seconds() * 1e6 / static_cast<double>(pairs.size());
}

void measure(const Roms& roms, const std::string& game) {
  const auto console = make_console(roms.find(game), {});
  const auto pairs = record(*console);
  std::vector<Observer> observers;
  for (const Simd simd : available_simd()) {
    observers.emplace_back(console->height(), console->gray_levels(), simd);
  }
  std::vector<std::vector<double>> times(observers.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < observers.size(); ++i) {
      times[i].push_back(microseconds(observers[i], pairs));
    }
  }
  fmt::print("| {} |", game);
  for (const auto& path : times) {
    fmt::print(" {:.1f} | {:.1f} |", *std::ranges::min_element(path), median(path));
  }
  fmt::print("\n");
}

void run(const std::string& rom_folder) {
  silence_ale();
  std::string header = "| game |";
  std::string rule = "|---|";
  for (const Simd simd : available_simd()) {
    header += fmt::format(" {}, least | median |", simd_name(simd));
    rule += "---|---|";
  }
  fmt::print("{}\n{}\n", header, rule);
  for (const auto* game : {"Pong", "Breakout", "Qbert", "Seaquest", "Enduro", "BeamRider"}) {
    measure(Roms(rom_folder), game);
  }
}

}  // namespace
}  // namespace tandem::atari

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_observation ROM_FOLDER\n");
    return 2;
  }
  try {
    tandem::atari::run(argv[1]);
  } catch (const tandem::Error& error) {
    fmt::print(stderr, "bench_observation: {}\n", error.what());
    return 2;
  }
  return 0;
}
