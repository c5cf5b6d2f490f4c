#include "tandem/trainer/agent.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "tandem/base/error.h"
#include "tandem/io/settings.h"
#include "tandem/nn/make_network.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/measured.h"
#include "tandem/trainer/whole_games.h"

namespace tandem {
namespace {

FoundCheckpoint find_checkpoint(const std::filesystem::path& run, const AgentChoice& choice) {
  const RunPaths paths{run};
  if (choice.best && choice.checkpoint) {
    throw Error("choose the best checkpoint or one by its step, not both");
  }
  if (choice.best) {
    if (has_checkpoint(paths.best())) return find_latest(paths.best(), choice.on_damage);
    throw Error(fmt::format(
        "{} has no best checkpoint, because no evaluation has ended there: train with "
        "run.evaluate_steps above 0 (also with --resume), or take the newest checkpoint",
        run.string()));
  }
  const auto folder = paths.checkpoints();
  // A replay may be large, and an agent plays without it, even if it is damaged.
  constexpr auto kContents = Contents::without_pieces;
  if (choice.checkpoint) return find_at_step(folder, *choice.checkpoint, kContents);
  return find_latest(folder, choice.on_damage, kContents);
}

// Changes an option of the environment. Refuses the keys that belong to the trained agent, and
// no-ops where a start or a protocol, which `start` names, tells how games start.
void change_env(Config& config, const Setting& setting, const std::string& start) {
  const auto fields = config.fields();
  const auto& key = find_field(setting, fields).key;
  if (key == "env.noop_max" && !start.empty()) {
    throw Error(fmt::format("{}: {} tells how games start already; leave one of them out",
                            setting.where, start));
  }
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

/// The config of the run's folder.
Config config_of(const std::filesystem::path& run,
                 const std::shared_ptr<const Catalogue>& catalogue) {
  require_run(run);
  auto config = load_config("", read_toml(RunPaths{run}.config()), catalogue);
  require_measured(config);
  return config;
}

/// Whole games, with the changes that the user chooses.
Config config_of_games(Config config, const AgentChoice& choice) {
  play_whole_games(config.env);
  std::string start = choice.protocol == "noop" ? "protocol noop" : "";
  if (!choice.start.empty()) start = "start = " + choice.start;
  if (!choice.start.empty()) choose_start(config.env, choice.start, start);
  if (!choice.protocol.empty()) choose_protocol(config.env, choice.protocol);
  for (const auto& setting : choice.env) change_env(config, setting, start);
  if (!choice.device.empty()) config.run.device = choice.device;
  return config;
}

/// Parameters under an edited config would play another agent without a word. Checkpoints of old
/// versions keep no config.
void require_config_of(const Checkpoint& checkpoint, const Config& config,
                       const std::filesystem::path& config_file) {
  const auto part = checkpoint.meta.find("config");
  if (part == checkpoint.meta.end() || !part->is_string()) return;
  require_as_trained(config, parse_toml(part->get<std::string>(), "the checkpoint's config"),
                     config_file);
}

/// Parameters are numbers of fp32 in any case, so an agent of another precision also acts where
/// that cannot be computed.
std::unique_ptr<Network> make_acting_network(const Architecture& architecture,
                                             std::span<const float> parameters,
                                             const Config& config) {
  const auto& device = config.run.device;
  const auto trained = precision_of(config.net);
  if (trained == Precision::fp32) return make_network(architecture, parameters, device, trained);
  try {
    return make_network(architecture, parameters, device, trained);
  } catch (const Error&) {
    auto network = make_network(architecture, parameters, device, Precision::fp32);
    spdlog::warn("net.precision = {} cannot be computed here, so the agent acts in fp32",
                 config.net.precision);
    return network;
  }
}

}  // namespace

Agent Agent::load(const std::filesystem::path& run, const AgentChoice& choice,
                  const std::shared_ptr<const Catalogue>& catalogue) {
  Agent agent;
  const auto of_run = config_of(run, catalogue);
  agent.config_ = config_of_games(of_run.own_copy(), choice);
  const auto& config = agent.config_;
  const auto found = find_checkpoint(run, choice);
  require_config_of(found.checkpoint, of_run, RunPaths{run}.config());
  agent.step_ = found.step;
  agent.checkpoint_ = found.folder;
  agent.spec_ = agent.environments(0)(0)->spec();
  agent.algorithm_ = make_algorithm(config, agent.spec_);
  const auto architecture = make_architecture(config, agent.spec_, agent.algorithm_);
  agent.parameters_.resize(static_cast<std::size_t>(architecture.parameter_count()));
  load_parameters(found.checkpoint, architecture, agent.parameters_);
  agent.network_ = make_acting_network(architecture, agent.parameters_, config);
  return agent;
}

EnvConfig Agent::environment(const std::string& start, const std::string& protocol) const {
  auto config = config_.own_copy();
  if (!start.empty()) choose_start(config.env, start, "start = " + start);
  if (!protocol.empty()) choose_protocol(config.env, protocol);
  return config.env;
}

Player Agent::player(int envs, std::uint64_t seed) {
  return {*network_, *algorithm_.acting, spec_, envs, seed};
}

Evaluation Agent::evaluate(const AgentGames& games) {
  const auto env = environment(games.start, games.protocol);
  const auto& starts = games.starts;
  const int usual = starts.empty() ? EvaluationOptions{}.episodes : static_cast<int>(starts.size());
  return tandem::evaluate(
      {.episodes = games.episodes > 0 ? games.episodes : usual,
       .play = games.play,
       .seed = games.seed,
       .threads = games.threads > 0 ? games.threads : config_.run.thread_budget(),
       .starts = starts,
       .most_steps = most_game_steps(env),
       .on_step = games.on_step},
      env.factory(games.seed), *network_, *algorithm_.acting);
}

}  // namespace tandem
