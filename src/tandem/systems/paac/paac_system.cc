#include "tandem/systems/paac/paac_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem {

const SystemInfo& PaacSystem::info() const {
  static const SystemInfo system_info{
      .name = "paac",
      .idea =
          "workers step n_e environments; one learner acts and updates in batches, synchronously",
      .paper =
          "Clemente, Castejon and Chandra: Efficient parallel methods for deep reinforcement "
          "learning, 2017, arXiv:1705.04862",
      .repeats = "always",
  };
  return system_info;
}

std::unique_ptr<System> PaacSystem::clone() const { return std::make_unique<PaacSystem>(*this); }

FieldList PaacSystem::fields() { return prefixed("paac.", config.fields()); }

Requirements PaacSystem::requirements() const { return {}; }

bool PaacSystem::repeatable() const { return true; }

std::int64_t PaacSystem::envs() const { return config.envs; }

Batching PaacSystem::batching() const {
  const auto envs = std::min(config.envs, config.envs_per_group);
  return {.envs = static_cast<int>(envs),
          .steps = static_cast<int>(config.t_max),
          .rollouts = static_cast<int>((config.envs + envs - 1) / envs)};
}

ThreadPattern PaacSystem::thread_pattern(int threads) const {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double groups = std::ceil(number(config.envs) / number(config.envs_per_group));
  const double workers = std::min(number(config.workers), number(threads));
  // An environment has one worker at most, so a group of one environment is stepped by one.
  const double most = number(std::min(config.envs, config.envs_per_group));
  const double each = std::min(std::floor(workers / groups), most);
  if (each > 1) {  // several workers step a group's environments and meet at each step
    return {.stepping = groups * each,
            .meeting_steps = number(config.envs) / (groups * each),
            .computing = groups};
  }
  const double stepping = std::min(workers, groups);
  return {.stepping = stepping,
          .meeting_steps = number(config.envs * config.t_max) / stepping,
          .computing = stepping};
}

std::optional<double> PaacSystem::lag_updates() const { return 0; }

std::string PaacSystem::threads_key() const { return "run.threads"; }

std::vector<std::vector<std::string>> PaacSystem::variants(int /*cores*/) const { return {{}}; }

std::vector<std::vector<std::string>> PaacSystem::sleeping_variants(std::int64_t envs) const {
  return {{},
          {fmt::format("paac.envs={}", envs), fmt::format("paac.envs_per_group={}", envs),
           fmt::format("paac.workers={}", envs), fmt::format("run.threads={}", envs)}};
}

void PaacSystem::set_update(const UpdateShape& shape) {
  config.t_max = shape.steps;
  config.envs = std::max<std::int64_t>(1, shape.samples / shape.steps);
}

void PaacSystem::prepare_to_measure() {}

MeasuredCosts PaacSystem::measure_costs(const TrainingContext& context,
                                        const nlohmann::ordered_json& /*means*/, int cores,
                                        double seconds) const {
  return {.costs = measure_step_costs(context, batching(), cores, seconds)};
}

void PaacSystem::train(TrainingContext& context) const { train_paac(config, context); }

}  // namespace tandem
