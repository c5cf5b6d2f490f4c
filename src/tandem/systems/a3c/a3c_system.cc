#include "tandem/systems/a3c/a3c_system.h"

#include <fmt/format.h>

namespace tandem {

const SystemInfo& A3cSystem::info() const {
  static const SystemInfo system_info{
      .name = "a3c",
      .idea =
          "threads act and learn, each with its own environment, on shared parameters without "
          "locks",
      .paper =
          "Mnih et al.: Asynchronous methods for deep reinforcement learning, ICML 2016, "
          "arXiv:1602.01783",
      .repeats = "never",
      // The paper calls an algorithm a method, and the advantage actor-critic A3C.
      .own_words = {{"method", "", "algo"}, {"algo", "a3c", "algo", "a2c"}},
  };
  return system_info;
}

std::unique_ptr<System> A3cSystem::clone() const { return std::make_unique<A3cSystem>(*this); }

FieldList A3cSystem::fields() { return prefixed("a3c.", config.fields()); }

Requirements A3cSystem::requirements() const {
  std::string keys;
  if (config.own_targets) keys = "a3c.own_targets";
  if (config.act_by_target) keys = "a3c.act_by_target";
  return {.passes = false, .asynchronous = true, .target_keys = keys};
}

bool A3cSystem::repeatable() const { return false; }

std::int64_t A3cSystem::envs() const { return config.learners; }

Batching A3cSystem::batching() const {
  return {.envs = 1, .steps = static_cast<int>(config.t_max), .rollouts = 1};
}

ThreadPattern A3cSystem::thread_pattern(int /*threads*/) const {
  const auto threads = static_cast<double>(config.learners);
  return {.stepping = threads, .meeting_steps = 0, .computing = threads};
}

std::optional<double> A3cSystem::lag_updates() const {
  return static_cast<double>(config.learners - 1);
}

std::string A3cSystem::threads_key() const { return "a3c.learners"; }

std::vector<std::vector<std::string>> A3cSystem::variants(int cores) const {
  return {{}, {fmt::format("a3c.learners={}", cores)}};
}

std::vector<std::vector<std::string>> A3cSystem::sleeping_variants(std::int64_t envs) const {
  return {{}, {fmt::format("a3c.learners={}", envs)}};
}

void A3cSystem::set_update(const UpdateShape& shape) { config.t_max = shape.steps; }

void A3cSystem::prepare_to_measure() {}

MeasuredCosts A3cSystem::measure_costs(const TrainingContext& context,
                                       const nlohmann::ordered_json& /*means*/, int cores,
                                       double seconds) const {
  return {.costs = measure_step_costs(context, batching(), cores, seconds)};
}

void A3cSystem::train(TrainingContext& context) const { train_a3c(config, context); }

}  // namespace tandem
