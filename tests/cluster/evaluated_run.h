// Trainings whose runs have an evaluator.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tandem/io/temporary_folder.h"
#include "tandem/run/evaluation_files.h"
#include "tests/support/scenario.h"

namespace tandem {

/// Trains as train() does, in a run whose parameters are evaluated every 200 steps. Each evaluation
/// ends at once and adds 1 to `plays`. Returns the steps that were evaluated.
inline std::vector<std::int64_t> train_evaluated(
    const Scenario& scenario, std::atomic<int>& plays,
    const std::function<void(TrainingContext&)>& system) {
  const TemporaryFolder other;
  Scenario parts = scenario;  // makes all but the run
  parts.folder = other.path() / "run";
  parts.resume = false;
  train(parts, [&](TrainingContext& made) {
    auto directory = scenario.resume ? RunDirectory::reopen(scenario.folder)
                                     : RunDirectory::create(scenario.folder);
    directory.write_config("");
    std::optional<FoundCheckpoint> found;
    if (scenario.resume) {
      found = find_latest(directory.paths().checkpoints(), [](const std::string&) {});
      load_learner(found->checkpoint, made.learner);
    }
    const auto play = [&](const Checkpoint&, int, const std::function<void(int)>&) {
      ++plays;
      return summarise({{0, 1, 10}});
    };
    TrainingRun run(
        {.system = "test",
         .env = "cartpole",
         .seed = 7,
         .steps_budget = scenario.steps,
         .metrics = made.algorithm.metrics,
         .checkpoint_minutes = scenario.checkpoint_minutes,
         .stop_requested = scenario.stop_requested,
         .progress = nullptr,
         .evaluation =
             EvaluatorOptions{.every = 200, .play = play, .share = 1e9, .collect_share = 1}},
        std::move(directory), found ? &*found : nullptr);
    TrainingContext context{.actor = made.actor,
                            .algorithm = made.algorithm,
                            .learner = made.learner,
                            .run = run,
                            .threads = made.threads,
                            .resume = found ? &found->checkpoint : nullptr};
    system(context);
    run.finish("");
  });
  std::vector<std::int64_t> steps;
  for (const auto& record : read_evaluations(RunPaths{scenario.folder}.evaluations())) {
    steps.push_back(record.step);
  }
  return steps;
}

}  // namespace tandem
