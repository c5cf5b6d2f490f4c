// Trainings whose runs have an evaluator.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "tandem/run/evaluation_files.h"
#include "tests/support/scenario.h"

namespace tandem {

/// Trains as train() does, in a run whose parameters are evaluated every 200 steps. Each evaluation
/// ends at once and adds 1 to `plays`. Returns the steps that were evaluated.
inline std::vector<std::int64_t> train_evaluated(
    Scenario scenario, std::atomic<int>& plays,
    const std::function<void(TrainingContext&)>& system) {
  const auto play = [&](const Checkpoint&, int, const std::function<void(int)>&) {
    ++plays;
    return summarise({{0, 1, 10}});
  };
  scenario.evaluation =
      EvaluatorOptions{.every = 200, .play = play, .share = 1e9, .collect_share = 1};
  train(scenario, system);
  std::vector<std::int64_t> steps;
  for (const auto& record : read_evaluations(RunPaths{scenario.folder}.evaluations())) {
    steps.push_back(record.step);
  }
  return steps;
}

}  // namespace tandem
