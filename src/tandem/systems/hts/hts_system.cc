#include "tandem/systems/hts/hts_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "tandem/systems/hts/hts_shape.h"

namespace tandem {

const SystemInfo& HtsSystem::info() const {
  static const SystemInfo system_info{
      .name = "hts",
      .idea =
          "executors step, actors predict and learners learn at once; all synchronise every alpha "
          "steps, and every run gives the same bits",
      .paper =
          "Liu, Yeh and Schwing: High-throughput synchronous deep RL, NeurIPS 2020, "
          "arXiv:2012.09849",
      .repeats = "with hts.deterministic",
  };
  return system_info;
}

std::unique_ptr<System> HtsSystem::clone() const { return std::make_unique<HtsSystem>(*this); }

FieldList HtsSystem::fields() { return prefixed("hts.", config.fields()); }

void HtsSystem::check() const { std::ignore = HtsShape::of(config, 1); }

Requirements HtsSystem::requirements() const { return {}; }

bool HtsSystem::repeatable() const { return config.deterministic; }

std::int64_t HtsSystem::envs() const { return config.envs; }

Batching HtsSystem::batching() const {
  const auto askers = config.actors > 0 ? config.actors : config.executors;
  const auto waiting = std::min(config.envs / askers, config.max_predictions);
  const auto together =
      config.deterministic ? std::min(config.envs, config.envs_per_group) : waiting;
  const auto envs = std::max<std::int64_t>(together, 1);
  return {.envs = static_cast<int>(envs),
          .steps = static_cast<int>(config.rollout_steps()),
          .rollouts = static_cast<int>((config.envs + envs - 1) / envs * rollouts_of_an_update()),
          .alone = config.deterministic,
          .at_places = true,
          .apart = config.envs * config.alpha > HtsConfig::kMostRecorded};
}

std::int64_t HtsSystem::rollouts_of_an_update() const {
  return std::max<std::int64_t>(1, config.alpha / config.rollout_steps() / config.updates);
}

ThreadPattern HtsSystem::thread_pattern(int /*threads*/) const {
  const auto stepping = static_cast<double>(std::min(config.executors, config.envs));
  return {.stepping = stepping,
          .meeting_steps = static_cast<double>(config.envs * config.alpha) / stepping,
          .computing = stepping,
          .learns_beside = true};
}

std::optional<double> HtsSystem::lag_updates() const { return static_cast<double>(config.updates); }

std::string HtsSystem::threads_key() const { return "hts.executors"; }

std::vector<std::vector<std::string>> HtsSystem::variants(int /*cores*/) const {
  return {{}, with_alpha(20)};
}

/// One rollout and one update of `alpha` steps between two synchronisations.
std::vector<std::string> HtsSystem::with_alpha(std::int64_t alpha) const {
  std::vector<std::string> settings = {fmt::format("hts.alpha={}", alpha)};
  if (config.rollout != 0) settings.emplace_back("hts.rollout=0");
  if (config.updates != 1) settings.emplace_back("hts.updates=1");
  return settings;
}

std::vector<std::vector<std::string>> HtsSystem::sleeping_variants(std::int64_t envs) const {
  std::vector<std::vector<std::string>> variants = {{}, with_alpha(20), with_alpha(64)};
  for (auto& one : variants) {
    const auto threads = {fmt::format("hts.envs={}", envs), fmt::format("hts.executors={}", envs)};
    one.insert(one.begin(), threads);
  }
  return variants;
}

void HtsSystem::set_update(const UpdateShape& shape) {
  config.alpha = shape.steps;
  config.rollout = 0;
  config.updates = 1;
  config.envs = std::max<std::int64_t>(1, shape.samples / shape.steps);
}

void HtsSystem::prepare_to_measure() {}

MeasuredCosts HtsSystem::measure_costs(const TrainingContext& context,
                                       const nlohmann::ordered_json& /*means*/, int cores,
                                       double seconds) const {
  return {.costs = measure_step_costs(context, batching(), cores, seconds)};
}

void HtsSystem::train(TrainingContext& context) const { train_hts(config, context); }

}  // namespace tandem
