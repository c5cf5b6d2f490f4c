#include "tandem/systems/ga3c/ga3c_system.h"

#include <fmt/format.h>

#include <algorithm>

namespace tandem {

const SystemInfo& Ga3cSystem::info() const {
  static const SystemInfo system_info{
      .name = "ga3c",
      .idea =
          "agents ask predictors what to do and send trainers what they saw: batches, one model, "
          "no waiting",
      .paper =
          "Babaeizadeh, Frosio, Tyree, Clemons and Kautz: Reinforcement learning through "
          "asynchronous advantage actor-critic on a GPU, ICLR 2017, arXiv:1611.06256",
      .repeats = "never",
  };
  return system_info;
}

std::unique_ptr<System> Ga3cSystem::clone() const { return std::make_unique<Ga3cSystem>(*this); }

FieldList Ga3cSystem::fields() { return prefixed("ga3c.", config.fields()); }

Requirements Ga3cSystem::requirements() const { return {.passes = false}; }

bool Ga3cSystem::repeatable() const { return false; }

std::int64_t Ga3cSystem::envs() const { return config.agents * config.envs; }

Batching Ga3cSystem::batching() const {
  // A predictor's batch holds the requests that wait for it; an update learns from whole
  // experiences.
  const auto waiting =
      std::min(config.agents * config.envs / config.predictors, config.max_predictions);
  const auto envs = std::max<std::int64_t>(waiting, 1);
  const auto samples = envs * config.t_max;
  return {.envs = static_cast<int>(envs),
          .steps = static_cast<int>(config.t_max),
          .rollouts = static_cast<int>((config.min_batch + samples - 1) / samples),
          .apart = true,
          .acts_on_last = true};
}

ThreadPattern Ga3cSystem::thread_pattern(int /*threads*/) const {
  const auto threads = static_cast<double>(config.agents);
  return {.stepping = threads, .meeting_steps = 0, .computing = threads};
}

std::optional<double> Ga3cSystem::lag_updates() const { return std::nullopt; }

std::string Ga3cSystem::threads_key() const { return "ga3c.agents"; }

std::vector<std::vector<std::string>> Ga3cSystem::variants(int /*cores*/) const { return {{}}; }

std::vector<std::vector<std::string>> Ga3cSystem::sleeping_variants(std::int64_t envs) const {
  return {{fmt::format("ga3c.agents={}", envs), "ga3c.envs=1"}};
}

void Ga3cSystem::set_update(const UpdateShape& shape) {
  config.t_max = shape.steps;
  config.min_batch = shape.samples;
}

void Ga3cSystem::prepare_to_measure() {}

MeasuredCosts Ga3cSystem::measure_costs(const TrainingContext& context,
                                        const nlohmann::ordered_json& /*means*/, int cores,
                                        double seconds) const {
  return {.costs = measure_step_costs(context, batching(), cores, seconds)};
}

void Ga3cSystem::train(TrainingContext& context) const { train_ga3c(config, context); }

}  // namespace tandem
