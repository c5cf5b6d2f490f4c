#include "tandem/trainer/assembly.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/normalised_env.h"
#include "tandem/learn/hogwild.h"
#include "tandem/nn/make_network.h"
#include "tandem/systems/fit.h"
#include "tandem/trainer/measured.h"

namespace tandem {
namespace {

std::uint64_t seed_of(const Config& config) { return static_cast<std::uint64_t>(config.run.seed); }

OptimizerConfig optimizer_of(const Config& config) {
  auto optimizer = config.optimizer;
  if (optimizer.anneal_steps < 0) optimizer.anneal_steps = config.run.steps;
  return optimizer;
}

/// For messages: the algorithms with this trait that fit the config's system.
template <class Trait>
std::string algorithms_with(const Config& config, Trait trait) {
  std::vector<std::string> names;
  for (const auto& one : config.catalogue->algorithms) {
    const auto& traits = one->info().traits;
    const bool fits = misfit(config.system->requirements(), traits).empty();
    if (fits && trait(traits)) names.push_back(one->info().name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

void require_network(const Config& config, const AlgorithmInfo& algorithm) {
  constexpr auto kDeterministic = "dpg";
  if (algorithm.traits.deterministic_policy != (config.net.arch == kDeterministic)) {
    throw Error(fmt::format(
        "net.arch = dpg is a deterministic policy with its critic, which algo = {} trains: use "
        "both, or neither",
        algorithms_with(config, [](const auto& traits) { return traits.deterministic_policy; })));
  }
  if (config.net.lstm == 0) return;
  if (!algorithm.traits.recurrent) {
    throw Error(fmt::format(
        "algo = {} has no recurrent form here: use net.lstm = 0, or one of {}'s algorithms with a "
        "recurrent state ({}), or another system",
        algorithm.name, config.system_name,
        algorithms_with(config, [](const auto& traits) { return traits.recurrent; })));
  }
  if (!config.system->requirements().recurrent) {
    std::vector<std::string> names;
    for (const auto& one : config.catalogue->systems) {
      if (one->requirements().recurrent) names.push_back(one->info().name);
    }
    throw Error(fmt::format(
        "{} trains agents without a recurrent state: use net.lstm = 0, or one of the systems {}",
        config.system_name, fmt::join(names, ", ")));
  }
}

void require_actions(const Config& config, const AlgorithmInfo& algorithm, const EnvSpec& spec) {
  if (spec.discrete() ? algorithm.traits.discrete : algorithm.traits.continuous) return;
  throw Error(fmt::format(
      "algo = {} needs {} actions, and those of {} are {}: use another environment, or one of the "
      "algorithms {}",
      algorithm.name, spec.discrete() ? "continuous" : "discrete", config.env.id,
      spec.discrete() ? "discrete" : "continuous", algorithms_with(config, [&](const auto& traits) {
        return spec.discrete() ? traits.discrete : traits.continuous;
      })));
}

/// A run is worth nothing when its config.toml cannot be read afterwards, as with two keys alike.
void require_readable(const Config& config) {
  try {
    static_cast<void>(config.own_copy());
  } catch (const Error& error) {
    throw Error(
        fmt::format("the config of this run could not be read after it is written; a system, an "
                    "algorithm or an environment has a key that does not fit: {}",
                    error.what()));
  }
}

}  // namespace

Assembly::Assembly(const Config& config, const StopRequested& stop_requested)
    : config_(measured(config, stop_requested)),
      make_env_(config_.env.factory(seed_of(config_))),
      spec_(make_env_(0)->spec()),
      algorithm_(make_algorithm(config_, spec_)),
      learner_(make_architecture(config_, spec_, algorithm_), optimizer_of(config_),
               seed_of(config_)) {
  require_readable(config_);
  if (config_.system->requirements().asynchronous) Hogwild::require_kind(config_.optimizer.kind);
  network_factory()(learner_.parameters());  // throws where the device cannot compute it
}

void Assembly::begin_other_games(std::uint64_t number) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // spreads consecutive numbers
  make_env_ = config_.env.factory(seed_of(config_) ^ (number * kGoldenRatio));
}

/// The factory holds copies, because an actor may outlive this assembly.
NetworkFactory Assembly::network_factory() const {
  return [architecture = learner_.architecture(), device = config_.run.device,
          precision = precision_of(config_.net)](std::span<const float> parameters) {
    return make_network(architecture, parameters, device, precision);
  };
}

TrainingRunOptions Assembly::run_options() const {
  return {.system = config_.system_name,
          .env = config_.env.id,
          .seed = seed_of(config_),
          .config = config_.toml(),
          .steps_budget = config_.run.steps,
          .until_return = config_.run.until_return,
          .frames_per_step = spec_.frames_per_step,
          .metrics = algorithm_.metrics,
          .log_seconds = config_.run.log_seconds,
          .checkpoint_minutes = config_.run.checkpoint_minutes,
          .repeatable = repeatable(config_) && spec_.saves};
}

ActorContext Assembly::actor_context() const {
  auto actor =
      make_actor_context(make_env_, spec_, network_factory(), algorithm_, seed_of(config_));
  if (config_.env.normalise_rewards) actor.rewards = Rewards::scaled;
  return actor;
}

TrainingContext Assembly::context(TrainingRun& run, const Checkpoint* resume) {
  return {.actor = actor_context(),
          .algorithm = algorithm_,
          .learner = learner_,
          .run = run,
          .threads = config_.run.thread_budget(),
          .resume = resume};
}

Architecture make_architecture(const Config& config, const EnvSpec& spec,
                               const Algorithm& algorithm) {
  if (config.env.has_running_statistics()) require_numbers(spec);
  return make_architecture(config.net, spec, algorithm.value_head,
                           config.env.has_running_statistics());
}

bool repeatable(const Config& config) {
  // GPU libraries add numbers in no fixed order.
  return config.run.device == "cpu" && config.system->repeatable();
}

Algorithm make_algorithm(const Config& config, const EnvSpec& spec) {
  const auto& algorithm = config.algorithm();
  config.catalogue->require_fit(*config.system, algorithm);
  config.system->check();
  require_network(config, algorithm.info());
  require_actions(config, algorithm.info(), spec);
  auto made = algorithm.make({.spec = spec,
                              .seed = seed_of(config),
                              .envs = config.system->envs() * spec.agents,
                              .dueling = config.net.dueling});
  const bool replayed =
      std::holds_alternative<std::shared_ptr<const ReplayAlgorithm>>(made.learning);
  if (replayed != (algorithm.info().traits.learns_from == LearnsFrom::replay)) {
    throw std::logic_error("an algorithm learns from something else than its traits say");
  }
  return made;
}

}  // namespace tandem
