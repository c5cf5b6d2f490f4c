// Plays recorded episodes again, for envpool_oracle.py.
//
// usage: football_trace FOLDER SCENARIO <episodes >trace
//
// An episode is three 32-bit numbers (the engine's seed, the episode's number, its steps) and one
// number for each action. The trace has the first frame of each episode and, for each step, the
// frame, the change of the score as a float, and two bytes: ended, out of time.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <vector>

#include "minimap.h"
#include "play.h"

namespace tandem::football {
namespace {

template <class T>
bool read(T& value) {
  return static_cast<bool>(std::cin.read(reinterpret_cast<char*>(&value), sizeof(value)));
}

template <class T>
void write(const T& value) {
  std::cout.write(reinterpret_cast<const char*>(&value), sizeof(value));
}

void write_frame(const Situation& situation) {
  std::vector<std::byte> frame(Minimap::kPlanes * Minimap::kHeight * Minimap::kWidth);
  draw_minimap(situation, 0, frame);
  std::cout.write(reinterpret_cast<const char*>(frame.data()),
                  static_cast<std::streamsize>(frame.size()));
}

void trace(const char* folder, const char* name) {
  const auto scenarios = read_scenarios(std::filesystem::path(folder) / "scenarios.txt");
  const auto& scenario = find_scenario(scenarios, name);
  Play play(folder, scenario, 1);
  std::uint32_t seed = 0;
  std::uint32_t number = 0;
  std::uint32_t steps = 0;
  while (read(seed) && read(number) && read(steps)) {
    play.start_episode(number, seed);
    write_frame(play.situation());
    for (std::uint32_t i = 0; i < steps; ++i) {
      std::int32_t action = 0;
      if (!read(action)) return;
      const Action taken{.discrete = action};
      const auto outcome = play.step({&taken, 1});
      write_frame(play.situation());
      write(static_cast<float>(outcome.score_change));
      write(static_cast<std::uint8_t>(outcome.ended));
      write(static_cast<std::uint8_t>(outcome.out_of_time));
    }
  }
}

}  // namespace
}  // namespace tandem::football

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "usage: football_trace FOLDER SCENARIO <episodes >trace\n";
    return 2;
  }
  try {
    tandem::football::trace(words[1], words[2]);
  } catch (const std::exception& error) {
    std::cerr << "football_trace: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
