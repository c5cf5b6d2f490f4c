#include "tandem/study/hts/sleeping_training.h"

#include <fmt/format.h>

#include "tandem/study/hts/hts_theory.h"
#include "tandem/study/training_rate.h"
#include "tandem/systems/common/step_costs.h"

namespace tandem {
namespace {

std::vector<Setting> sleeping_task() {
  return {{"env.id", "latency", "env"},
          {"env.wait", "sleeping", "env"},
          {"net.arch", "mlp", "net"},
          {"net.hidden", "64", "net"}};
}

}  // namespace

std::vector<Setting> exponential_sleep(double mean_ms) {
  auto task = sleeping_task();
  task.push_back({"env.mean_us", fmt::format("{}", 1000 * mean_ms), "env"});
  task.push_back({"env.distribution", "exponential", "env"});
  return task;
}

std::vector<Setting> recorded_sleep(const std::string& file) {
  auto task = sleeping_task();
  task.push_back({"env.step_times", file, "env"});
  return task;
}

Config hts_config(std::int64_t envs, std::int64_t alpha, std::vector<Setting> task) {
  for (const char* key : {"hts.envs", "hts.executors", "hts.envs_per_group"}) {
    task.push_back({key, fmt::format("{}", envs), key});
  }
  task.push_back({"hts.alpha", fmt::format("{}", alpha), "hts.alpha"});
  return load_config(kHts, task);
}

SleepingTraining measure_sleeping(const Config& config, double seconds,
                                  const StopRequested& stop_requested) {
  SleepingTraining found;
  const auto rate = measure_training(
      config, seconds, stop_requested, [&](const TrainingContext& context, const TrainingRate&) {
        constexpr double kSeconds = 0.5;
        constexpr int kSteps = 5;
        found.actor_seconds =
            measure_step_costs(context, {.envs = 1, .steps = kSteps, .rollouts = 1}, 1, kSeconds)
                .inference;
      });
  found.steps_per_second = rate.steps_per_second;
  return found;
}

}  // namespace tandem
