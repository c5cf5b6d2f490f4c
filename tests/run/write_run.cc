// Writes a small run, interrupted and resumed once, for other programs to read: write_run FOLDER.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/run/training_run.h"

namespace tandem {
namespace {

constexpr std::int64_t kBudget = 1000;

/// Two games, whose returns lie around half of the training that the snapshot has behind it.
Evaluation play(const Checkpoint& snapshot, int, const std::function<void(int)>&) {
  const auto steps = snapshot.part("run").at("steps").get<double>();
  return summarise({{0, steps / kBudget, 10}, {1, 0, 10}});
}

TrainingRunOptions options() {
  return {.system = "paac",
          .env = "catch",
          .seed = 1,
          .steps_budget = kBudget,
          .frames_per_step = 4,
          .log_seconds = 0,
          .checkpoint_minutes = 1e6,
          .progress = nullptr,
          .evaluation = EvaluatorOptions{.every = 400, .play = play}};
}

void update(TrainingRun& run) {
  const auto progress = static_cast<double>(run.steps()) / kBudget;
  const std::vector<Episode> episodes = {{0, progress, 10}};
  run.record(
      {.steps = 100,
       .loss = {.policy_loss = -0.25, .value_loss = 1 - progress, .entropy = 2, .samples = 1},
       .gradient_norm = 0.5,
       .learning_rate = 0.1,
       .episodes = episodes,
       .seconds = {.stepping = 1, .inferring = 1, .learning = 2, .waiting = 0}});
}

void save(TrainingRun& run) {
  Checkpoint checkpoint;
  checkpoint.add_tensor("torso.weight", {2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5.5f});
  checkpoint.add_tensor("scalar", {}, std::vector<float>{-1});
  checkpoint.add_tensor("nothing", {0, 4}, {});
  run.save(checkpoint);
}

void write_run(const std::string& folder) {
  {
    auto directory = RunDirectory::create(folder);
    directory.write_config("seed = 1\n");
    const auto asked = options();
    TrainingRun run(asked, std::move(directory));
    for (int i = 0; i < 5; ++i) update(run);
    asked.control->ask();  // an evaluation alone would write no checkpoint
    save(run);
    // Otherwise the evaluation could end too late for TensorBoard's file.
    while (std::ifstream(run.paths().evaluations()).peek() == EOF) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the result follows its line
    for (int i = 0; i < 3; ++i) update(run);                      // lost with the process
  }
  const auto found = find_latest(RunPaths{folder}.checkpoints(), {});
  TrainingRun run(options(), RunDirectory::reopen(folder), &found);
  while (!run.done()) {
    update(run);
    if (run.checkpoint_due()) save(run);
  }
  save(run);
  run.finish("0");
}

}  // namespace
}  // namespace tandem

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    tandem::write_run(arguments[1]);
    return 0;
  } catch (const tandem::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
