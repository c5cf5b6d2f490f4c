// mujoco_trace SUITE TASK: plays a task from a given state in double precision, for
// suite_oracle.py. Reads from standard input the count of numbers in the state (int64), the state
// (double each), and controls (float each) until the end. Writes for the start and each step the
// reward, 1 if the time is up or else 0, and the observation (double each).
//
// mujoco_trace SUITE TASK pixels|plain: reads the same input and writes pictures of 84 x 84 x 3
// bytes; plain pictures are drawn without effects.
//
// mujoco_trace SUITE TASK COUNT: writes COUNT states in which episodes start.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "model.h"
#include "renderer.h"
#include "simulation.h"
#include "tandem/base/error.h"

namespace tandem::mujoco {
namespace {

template <class T>
bool read(std::vector<T>& values) {
  return std::fread(values.data(), sizeof(T), values.size(), stdin) == values.size();
}

void write(std::span<const double> values) {
  std::fwrite(values.data(), sizeof(double), values.size(), stdout);
}

void write(const Simulation& simulation, const Outcome& outcome) {
  if (outcome.diverged) throw Error("the simulation broke down");
  const std::vector<double> head = {outcome.reward, outcome.out_of_time ? 1.0 : 0.0};
  write(head);
  write(simulation.observation());
}

/// Calls show(simulation, outcome) for each state in turn.
template <class Show>
void play(Simulation& simulation, Show show) {
  std::vector<std::int64_t> size(1);
  if (!read(size)) throw Error("no state was given");
  std::vector<double> state(static_cast<std::size_t>(size[0]));
  if (!read(state)) throw Error("the state ends early");
  simulation.reset(state);
  show(simulation, Outcome{});
  std::vector<float> control(simulation.physics().control().size());
  while (read(control)) show(simulation, simulation.step(control));
}

void draw(Simulation& simulation, bool plain) {
  constexpr int kSide = 84;
  const auto renderer = make_renderer(simulation.physics().model(), kSide, kSide, plain);
  std::vector<std::uint8_t> picture(std::size_t{kSide} * kSide * 3);
  play(simulation, [&](const Simulation& shown, const Outcome&) {
    renderer->draw(shown.physics(), picture);
    std::fwrite(picture.data(), 1, picture.size(), stdout);
  });
}

void start(Simulation& simulation, int count) {
  Stream stream(1, 0);
  for (int i = 0; i < count; ++i) {
    simulation.reset(stream);
    write(simulation.state());
  }
}

void run(const std::string& suite, const std::string& task, const std::string& what) {
  silence_mujoco();
  const auto info = find_task(task);
  Simulation simulation(info, load_model(suite, info.file, info.without));
  if (what == "pixels" || what == "plain") return draw(simulation, what == "plain");
  if (!what.empty()) return start(simulation, std::stoi(what));
  play(simulation, [](const Simulation& shown, const Outcome& outcome) { write(shown, outcome); });
}

}  // namespace
}  // namespace tandem::mujoco

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: mujoco_trace SUITE TASK [COUNT|pixels|plain]\n";
    return 2;
  }
  try {
    tandem::mujoco::run(argv[1], argv[2], argc == 4 ? argv[3] : "");
  } catch (const tandem::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return 0;
}
