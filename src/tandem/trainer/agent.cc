#include "tandem/trainer/agent.h"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/error.h"
#include "tandem/nn/make_network.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/measured.h"

namespace tandem {
namespace {

FoundCheckpoint find_checkpoint(const std::filesystem::path& run, const AgentChoice& choice) {
  const auto folder = RunPaths{run}.checkpoints();
  if (choice.checkpoint) return find_at_step(folder, *choice.checkpoint);
  return find_latest(folder, choice.on_damage);
}

// Changes an option of the environment. Refuses the keys that belong to the trained agent.
void change_env(Config& config, const Setting& setting) {
  const auto fields = config.fields();
  const auto& key = find_field(setting, fields).key;
  const bool of_agent = key == "env.id" || key.starts_with("env.normalise") ||
                        key == "env.observation_mean" || key == "env.observation_deviation";
  if (!key.starts_with("env.") || of_agent) {
    throw Error(
        fmt::format("{}: {} belongs to the trained agent; only the other options of its "
                    "environment (env.*) can be changed here",
                    setting.where, key));
  }
  apply_setting(setting, fields);
}

constexpr int kNoops = 30;  // no-ops at most; PAAC, section 5.1

// Chooses the start of games. Throws Error if the environment's family has no no-op starts.
void choose_start(EnvConfig& env, const std::string& start) {
  if (start.empty()) return;
  if (start != "noop" && start != "fixed") {
    throw Error(fmt::format("start = {}: games start by noop or fixed", start));
  }
  const auto fields = env.fields();
  const auto found = std::ranges::find(fields, "noop_max", &Field::key);
  if (found == fields.end()) {
    throw Error(fmt::format(
        "start = {}: {} has no no-op starts (no key env.noop_max); leave it out", start, env.id));
  }
  set_field(*found, std::int64_t{start == "noop" ? kNoops : 0});
}

Config config_of(const std::filesystem::path& run, const AgentChoice& choice,
                 const std::shared_ptr<const Catalogue>& catalogue) {
  require_run(run);
  auto config = load_config("", read_toml(RunPaths{run}.config()), catalogue);
  require_measured(config);
  for (const auto& field : config.env.fields()) {
    if (field.key == "life_loss_terminal") set_field(field, false);
  }
  choose_start(config.env, choice.start);
  for (const auto& setting : choice.env) change_env(config, setting);
  if (!choice.device.empty()) config.run.device = choice.device;
  return config;
}

}  // namespace

Agent Agent::load(const std::filesystem::path& run, const AgentChoice& choice,
                  const std::shared_ptr<const Catalogue>& catalogue) {
  Agent agent;
  agent.config_ = config_of(run, choice, catalogue);
  const auto& config = agent.config_;
  const auto found = find_checkpoint(run, choice);
  agent.step_ = found.step;
  agent.checkpoint_ = found.folder;
  agent.spec_ = agent.environments(0)(0)->spec();
  agent.algorithm_ = make_algorithm(config, agent.spec_);
  const auto architecture = make_architecture(config, agent.spec_, agent.algorithm_);
  agent.parameters_.resize(static_cast<std::size_t>(architecture.parameter_count()));
  load_parameters(found.checkpoint, architecture, agent.parameters_);
  agent.network_ =
      make_network(architecture, agent.parameters_, config.run.device, precision_of(config.net));
  return agent;
}

EnvConfig Agent::environment(const std::string& start, const std::vector<Setting>& changes) const {
  // Copies of a config share the environment's options, so its text makes new ones.
  auto config = load_config("", parse_toml(config_.toml(), "config"), config_.catalogue);
  choose_start(config.env, start);
  for (const auto& setting : changes) change_env(config, setting);
  return config.env;
}

Player Agent::player(int envs, std::uint64_t seed) {
  return {*network_, *algorithm_.acting, spec_, envs, seed};
}

Evaluation Agent::evaluate(const EvaluationOptions& options) {
  return tandem::evaluate(options, environments(options.seed), *network_, *algorithm_.acting);
}

}  // namespace tandem
