#include "tandem/app/agent_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "tandem/base/error.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/systems/common/parts.h"
#include "tandem/trainer/assembly.h"

namespace tandem {
namespace {

constexpr std::int64_t kNoops = 30;  // at most; PAAC, section 5.1

FieldList env_fields(Config& config) { return prefixed("env.", config.env.fields()); }

const Field* find_key(const FieldList& fields, const std::string& key) {
  const auto found = std::ranges::find(fields, key, &Field::key);
  return found == fields.end() ? nullptr : &*found;
}

// An agent may play games other than those it was trained on; itself it cannot be changed.
void change_env(Config& config, const std::string& assignment) {
  const auto setting = parse_assignment(assignment);
  const auto fields = config.fields();
  const auto& key = find_field(setting, fields).key;
  if (!key.starts_with("env.") || key == "env.id") {
    throw Error(
        fmt::format("{}: {} belongs to the trained agent; only options of its environment "
                    "(env.*) can be changed here",
                    setting.where, key));
  }
  apply_setting(setting, fields);
}

FoundCheckpoint find_checkpoint(const std::filesystem::path& checkpoints,
                                std::optional<std::int64_t> step) {
  if (step) return find_at_step(checkpoints, *step);
  return find_latest(checkpoints, [](const std::string& damage) {
    fmt::print(stderr, "tandem: warning: {}\n", damage);
  });
}

}  // namespace

void AgentOptions::add_to(CLI::App& app) {
  app.add_option("RUN", run_, "Folder of the run, as `tandem train` made it")->required();
  app.add_option("--checkpoint", checkpoint_, "Steps of the checkpoint (default: the newest)")
      ->type_name("STEP");
  app.add_option("--start", start_,
                 "noop: 1 to 30 no-ops at the start of a game; fixed: none "
                 "(default: as in training)")
      ->type_name("noop|fixed")
      ->check(CLI::IsMember({"noop", "fixed"}));
  app.add_flag("--greedy", greedy_, "Take the most probable action instead of sampling");
  app.add_option("--seed", seed_, "Seed of the games and of sampling")
      ->type_name("S")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  app.add_option("--device", device_, "cpu or cuda (default: as in training)")
      ->type_name("D")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--set", sets_, "Change an option of the environment (env.*)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

Agent AgentOptions::load() const {
  Agent agent;
  agent.config = config();
  const auto& config = agent.config;
  const auto found = find_checkpoint(RunPaths{run_}.checkpoints(), checkpoint_);
  agent.step = found.step;
  agent.checkpoint = found.folder;

  const auto spec = config.env.factory(seed_)(0)->spec();
  agent.algorithm = make_algorithm(config, spec);
  const auto architecture =
      make_architecture(config.net, spec, agent.algorithm->needs().value_head);
  agent.parameters.resize(static_cast<std::size_t>(architecture.parameter_count()));
  load_parameters(found.checkpoint, architecture, agent.parameters);
  agent.network =
      make_network(architecture, agent.parameters, config.run.device, precision_of(config.net));
  return agent;
}

Config AgentOptions::config() const {
  const auto file = RunPaths{run_}.config();
  require_run(run_);
  auto config = load_config("", read_toml(file));
  const auto fields = env_fields(config);
  if (const auto* lives = find_key(fields, "env.life_loss_terminal")) set_field(*lives, false);
  change_start(config);
  for (const auto& assignment : sets_) change_env(config, assignment);
  if (!device_.empty()) config.run.device = device_;
  return config;
}

void AgentOptions::change_start(Config& config) const {
  if (start_.empty()) return;
  const auto fields = env_fields(config);
  const auto* noops = find_key(fields, "env.noop_max");
  if (noops == nullptr) {
    throw Error(
        fmt::format("--start {}: {} has no no-op starts (no key env.noop_max); leave the "
                    "option out",
                    start_, config.env.id));
  }
  set_field(*noops, start_ == "noop" ? kNoops : std::int64_t{0});
}

}  // namespace tandem
