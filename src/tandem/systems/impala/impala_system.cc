#include "tandem/systems/impala/impala_system.h"

#include <fmt/format.h>

#include <algorithm>

namespace tandem {

const SystemInfo& ImpalaSystem::info() const {
  static const SystemInfo system_info{
      .name = "impala",
      .idea =
          "actors play by copies of the parameters; one learner corrects by V-trace for what it "
          "has learned meanwhile",
      .paper =
          "Espeholt et al.: IMPALA: Scalable distributed deep-RL with importance weighted "
          "actor-learner architectures, ICML 2018, arXiv:1802.01561",
      .repeats = "never",
  };
  return system_info;
}

std::unique_ptr<System> ImpalaSystem::clone() const {
  return std::make_unique<ImpalaSystem>(*this);
}

FieldList ImpalaSystem::fields() { return prefixed("impala.", config.fields()); }

Requirements ImpalaSystem::requirements() const {
  return {.value_methods = false, .passes = false};
}

bool ImpalaSystem::repeatable() const { return false; }

std::int64_t ImpalaSystem::envs() const { return config.actors * config.envs; }

Batching ImpalaSystem::batching() const {
  return {.envs = static_cast<int>(config.envs),
          .steps = static_cast<int>(config.unroll),
          .rollouts = static_cast<int>((config.batch + config.envs - 1) / config.envs),
          .apart = true};
}

ThreadPattern ImpalaSystem::thread_pattern(int /*threads*/) const {
  const auto threads = static_cast<double>(config.actors);
  return {.stepping = threads, .meeting_steps = 0, .computing = threads};
}

std::optional<double> ImpalaSystem::lag_updates() const { return std::nullopt; }

std::string ImpalaSystem::threads_key() const { return "impala.actors"; }

std::vector<std::vector<std::string>> ImpalaSystem::variants(int /*cores*/) const { return {{}}; }

std::vector<std::vector<std::string>> ImpalaSystem::sleeping_variants(std::int64_t envs) const {
  return {{fmt::format("impala.actors={}", envs), "impala.envs=1"}};
}

void ImpalaSystem::set_update(const UpdateShape& shape) {
  config.unroll = shape.steps;
  config.batch = std::max<std::int64_t>(1, shape.samples / shape.steps);
}

void ImpalaSystem::prepare_to_measure() {}

MeasuredCosts ImpalaSystem::measure_costs(const TrainingContext& context,
                                          const nlohmann::ordered_json& /*means*/, int cores,
                                          double seconds) const {
  return {.costs = measure_step_costs(context, batching(), cores, seconds)};
}

void ImpalaSystem::train(TrainingContext& context) const { train_impala(config, context); }

}  // namespace tandem
