// Plays given episodes, for vizdoom_oracle.py.
//
// usage: doom_trace FOLDER SCENARIO <episodes >trace
//
// An episode is three 32-bit numbers (its seed, the tics of a step, its steps) and then, for each
// step, an amount for each button, a 64-bit float. The trace has the first screen and distances of
// each episode and, for each step, the screen, the distances, the reward as a 64-bit float, and two
// bytes: ended, out of time.
#include <cstdint>
#include <exception>
#include <iostream>
#include <span>
#include <vector>

#include "game.h"

namespace tandem::doom {
namespace {

template <class T>
bool read(T& value) {
  return static_cast<bool>(std::cin.read(reinterpret_cast<char*>(&value), sizeof(value)));
}

template <class T>
void write(const T& value) {
  std::cout.write(reinterpret_cast<const char*>(&value), sizeof(value));
}

void write_pictures(const Game& game) {
  for (const auto& picture : {game.screen(), game.distances()}) {
    std::cout.write(reinterpret_cast<const char*>(picture.data()),
                    static_cast<std::streamsize>(picture.size()));
  }
}

void trace(const char* folder, const char* scenario) {
  Game game({.folder = folder, .scenario = scenario, .depth = true});
  std::vector<double> amounts(game.buttons().size());
  std::uint32_t seed = 0;
  std::uint32_t tics = 0;
  std::uint32_t steps = 0;
  while (read(seed) && read(tics) && read(steps)) {
    game.start(seed);
    write_pictures(game);
    for (std::uint32_t step = 0; step < steps; ++step) {
      for (auto& amount : amounts) {
        if (!read(amount)) return;
      }
      const auto outcome = game.act(amounts, static_cast<int>(tics));
      write_pictures(game);
      write(outcome.reward);
      write(static_cast<std::uint8_t>(outcome.ended));
      write(static_cast<std::uint8_t>(outcome.out_of_time));
    }
  }
}

}  // namespace
}  // namespace tandem::doom

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "usage: doom_trace FOLDER SCENARIO <episodes >trace\n";
    return 2;
  }
  try {
    tandem::doom::trace(words[1], words[2]);
  } catch (const std::exception& error) {
    std::cerr << "doom_trace: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
