#include "tandem/trainer/assembly.h"

#include "tandem/base/error.h"
#include "tandem/systems/a3c/a3c.h"
#include "tandem/systems/apex/apex.h"
#include "tandem/systems/ga3c/ga3c.h"
#include "tandem/systems/hts/hts.h"
#include "tandem/systems/impala/impala.h"
#include "tandem/systems/paac/paac.h"

namespace tandem {
namespace {

std::uint64_t seed_of(const Config& config) { return static_cast<std::uint64_t>(config.run.seed); }

OptimizerConfig optimizer_of(const Config& config) {
  auto optimizer = config.optimizer;
  if (optimizer.anneal_steps < 0) optimizer.anneal_steps = config.run.steps;
  return optimizer;
}

}  // namespace

Assembly::Assembly(const Config& config)
    : config_(config),
      make_env_(config.env.factory(seed_of(config))),
      spec_(make_env_(0)->spec()),
      algorithm_(make_algorithm(config, spec_)),
      learner_(make_architecture(config.net, spec_, algorithm_->needs().value_head),
               optimizer_of(config), seed_of(config)) {
  network(learner_.parameters());  // throws where the device cannot compute it
}

std::unique_ptr<Network> Assembly::network(std::span<const float> parameters) const {
  return make_network(learner_.architecture(), parameters, config_.run.device,
                      precision_of(config_.net));
}

TrainingRunOptions Assembly::run_options() const {
  return {.system = config_.system,
          .env = config_.env.id,
          .seed = seed_of(config_),
          .config = config_.toml(),
          .steps_budget = config_.run.steps,
          .until_return = config_.run.until_return,
          .frames_per_step = spec_.frames_per_step,
          .metrics = algorithm_->needs().metrics,
          .log_seconds = config_.run.log_seconds,
          .checkpoint_minutes = config_.run.checkpoint_minutes,
          .repeatable = repeatable(config_)};
}

Parts Assembly::parts(TrainingRun& run, const Checkpoint* resume) {
  return {.make_env = make_env_,
          .make_network = [this](std::span<const float> parameters) { return network(parameters); },
          .algorithm = *algorithm_,
          .learner = learner_,
          .run = run,
          .seed = seed_of(config_),
          .threads = config_.run.thread_budget(),
          .resume = resume};
}

bool repeatable(const Config& config) {
  if (config.run.device != "cpu") return false;  // a GPU's libraries add in no fixed order
  return config.system == "paac" || (config.system == "hts" && config.hts.deterministic);
}

std::unique_ptr<Algorithm> make_algorithm(const Config& config, const EnvSpec& spec) {
  const bool replayed = config.algo == "dqn" || config.algo == "dpg";
  if ((config.system == "apex") != replayed) {
    throw Error(
        "algo = dqn and algo = dpg learn from a replay, and the system apex has one: use it with "
        "one of them, or neither");
  }
  if ((config.algo == "dpg") != (config.net.arch == "dpg")) {
    throw Error(
        "net.arch = dpg is a deterministic policy with its critic, which algo = dpg trains: use "
        "both, or neither");
  }
  if (config.algo == "dpg") return make_dpg(config.dpg, spec);
  if (config.algo == "dqn") {
    if (!spec.discrete() || config.net.lstm > 0) {
      throw Error(
          "algo = dqn chooses among discrete actions without a recurrent state; use another "
          "environment, or net.lstm = 0");
    }
    return make_dqn(config.dqn, config.apex.actors * config.apex.envs, config.net.dueling);
  }
  const bool actor_critic = config.algo == "a2c" || config.algo == "ppo";
  const bool forward_again =
      config.system == "ga3c" || config.system == "hts" || config.system == "impala";
  if (forward_again && (!actor_critic || config.net.lstm > 0)) {
    throw Error(config.system +
                " trains actor-critic agents without a recurrent state; use algo = a2c and "
                "net.lstm = 0, or the systems paac or a3c");
  }
  if (config.algo == "a2c") {
    return spec.discrete() ? make_a2c(config.a2c) : make_gaussian_a2c(config.a2c);
  }
  if (config.algo == "ppo") {
    if ((config.system != "paac" && config.system != "hts") || config.net.lstm > 0) {
      throw Error(
          "algo = ppo goes through whole rollouts of all environments, sample by sample: use the "
          "systems paac or hts, and net.lstm = 0");
    }
    return spec.discrete() ? make_ppo(config.ppo) : make_gaussian_ppo(config.ppo);
  }
  const auto value_method = [&](QMethod method) {
    if (config.net.lstm > 0) {
      throw Error(
          "net.lstm: the value-based methods have no recurrent form here; use net.lstm = 0 or algo "
          "= a2c");
    }
    if (!spec.discrete()) {
      throw Error(
          "algo: the value-based methods choose among discrete actions, but this environment's are "
          "continuous; use algo = a2c");
    }
    return make_q_learning(method, config.q, seed_of(config), spec.frames_per_step);
  };
  if (config.algo == "one_step_q") return value_method(QMethod::one_step_q);
  if (config.algo == "one_step_sarsa") return value_method(QMethod::one_step_sarsa);
  if (config.algo == "n_step_q") return value_method(QMethod::n_step_q);
  throw Error("algorithm '" + config.algo + "' cannot learn yet");
}

ApexRules apex_rules(const Config& config) {
  return config.algo == "dpg" ? dpg_rules(config.dpg) : dqn_rules(config.dqn);
}

void train_system(const Config& config, Parts& parts) {
  if (config.system == "paac") return train_paac(config.paac, parts);
  if (config.system == "a3c") return train_a3c(config.a3c, parts);
  if (config.system == "ga3c") return train_ga3c(config.ga3c, parts);
  if (config.system == "hts") return train_hts(config.hts, parts);
  if (config.system == "impala") return train_impala(config.impala, parts);
  if (config.system == "apex") {
    return train_apex(config.apex, config.replay, apex_rules(config), parts);
  }
  throw Error("system '" + config.system + "' cannot train yet");
}

}  // namespace tandem
