#include "tandem/trainer/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/systems/catalogue.h"

namespace tandem {
namespace {

const std::string kEnvPrefix = "env.";

constexpr std::array kMayChange = {"run.steps",  "run.until_return",       "run.threads",
                                   "run.device", "run.checkpoint_minutes", "run.log_seconds"};

// Streams of environments have the ids from 0 on; these are far above.
constexpr std::uint64_t kEmulatorSeeds = std::uint64_t{1} << 40;

std::uint64_t emulator_seed(std::uint64_t seed, int index) {
  Stream stream(seed, kEmulatorSeeds + static_cast<std::uint64_t>(index));
  const std::uint64_t high = stream.bits();
  return high << 32 | stream.bits();
}

void append(FieldList& all, FieldList more) { std::ranges::move(more, std::back_inserter(all)); }

// Applies the settings of one key ahead of all others, whose keys may depend on its value.
void apply_first(const Field& field, const std::vector<Setting>& settings) {
  for (const auto& setting : settings) {
    const bool short_match =
        setting.origin == Setting::Origin::command_line && field.key.ends_with("." + setting.key);
    if (setting.key == field.key || short_match) apply_setting(setting, {field});
  }
}

// Where the preset a3c/atari is not as paac/atari: an update is of 5 samples, not of 160.
void set_a3c_defaults(Config& config) {
  config.run.steps = 80'000'000;
  config.a2c.loss_scale = 0.2;
  config.q.loss_scale = 0.2;
  config.optimizer.lr = 3e-4;
  config.optimizer.anneal_steps = -1;
  config.optimizer.epsilon = 1e-3;
  config.optimizer.clip_norm = 2.0;
}

// Where the preset ga3c/atari is not as paac/atari: the gradients of 160 samples add up.
void set_ga3c_defaults(Config& config) {
  config.run.steps = 80'000'000;
  config.a2c.loss_scale = 0.00625;
  config.a2c.log_epsilon = 1e-6;
  config.optimizer.anneal_steps = -1;
}

// Those of the paper: appendix C. TensorFlow has epsilon inside the root and starts from squares
// of 1. Section 4.1 compresses by PNG, which takes longer for the same.
void set_apex_defaults(Config& config) {
  config.run.steps = 5'000'000;
  config.algo = "dqn";
  config.net.arch = "nature";
  config.net.dueling = true;
  config.net.init = "torch";
  config.optimizer.kind = "centered_rmsprop";
  config.optimizer.lr = 0.00025 / 4;
  config.optimizer.decay = 0.95;
  config.optimizer.epsilon = 1.5e-7;
  config.optimizer.epsilon_inside = true;
  config.optimizer.clip_norm = 40;
  config.replay.compression = "lz4";
}

// Those of the paper: appendix D, and Adam's own epsilon. The final layers start as DDPG's, from
// which it comes; frames that are no pictures do not get smaller. All else is as for DQN, the norm
// of 40 included.
void set_dpg_defaults(Config& config) {
  config.net.arch = "dpg";
  config.net.dueling = false;
  config.net.init = "ddpg";
  config.optimizer.kind = "adam";
  config.optimizer.lr = 1e-4;
  config.optimizer.epsilon = 1e-8;
  config.apex.batch = 256;
  config.replay.capacity = 1'000'000;
  config.replay.remover = "inverse_priority";
  config.replay.alpha_evict = -0.4;
  config.replay.compression = "none";
}

/// The table with the numbers of an algorithm.
std::string table_of(const std::string& algo) {
  return algo == "a2c" || algo == "ppo" || algo == "dqn" || algo == "dpg" ? algo + "." : "q.";
}

// As HTS-RL's baseline (Kostrikov 2018) trains it.
void set_ppo_defaults(Config& config) {
  config.optimizer.kind = "adam";
  config.optimizer.lr = 2.5e-4;
  config.optimizer.epsilon = 1e-5;
  config.optimizer.anneal_steps = -1;
  config.optimizer.clip_norm = 0.5;
}

// Where the preset impala/atari is not as paac/atari: updates are sums over a batch of
// trajectories, of a policy that has moved on.
void set_impala_defaults(Config& config) {
  config.run.steps = 80'000'000;
  config.a2c.correction = "vtrace";
  config.a2c.loss_scale = 1.0 / 640;
  config.optimizer.anneal_steps = -1;
}

std::vector<Setting> in_our_words(std::vector<Setting> settings) {
  for (auto& setting : settings) setting = in_our_words(std::move(setting));
  return settings;
}

Field algo_field(std::string& algo) {
  return {.key = "algo",
          .target = &algo,
          .meaning =
              "what is learned from the experience; `method` will do for the key, and a3c "
              "for a2c",
          .source = "A3C, section 4; PAAC, section 4: the framework takes any algorithm",
          .choices = {"a2c", "ppo", "one_step_q", "one_step_sarsa", "n_step_q", "dqn", "dpg"}};
}

// A file may hold the numbers of several algorithms; on the command line one of another algorithm
// is a mistake.
bool is_unused(const Setting& setting, const FieldList& unused, const std::string& algo) {
  if (std::ranges::find(unused, setting.key, &Field::key) == unused.end()) return false;
  if (setting.origin == Setting::Origin::file) return true;
  throw Error(
      fmt::format("{}: {} is not a key of the algorithm {}; `tandem keys` lists those that "
                  "are",
                  setting.where, setting.key, algo));
}

// The likeliest cause of an unknown option env.* is a config made for another environment.
void check_env_option(const Setting& setting, const std::string& id, const FieldList& fields) {
  if (!setting.key.starts_with(kEnvPrefix)) return;
  try {
    std::ignore = find_field(setting, fields);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{} (env.id is {}, and the options of env depend on it)", error.what(), id));
  }
}

void apply(const Setting& setting, const FieldList& fields, const std::string& env_id) {
  check_env_option(setting, env_id, fields);
  apply_setting(setting, fields);
}

EnvConfig choose_env(const std::vector<Setting>& settings) {
  EnvConfig env;
  apply_first({.key = "env.id", .target = &env.id, .meaning = ""}, settings);
  env.family = find_family(env.id);
  return env;
}

}  // namespace

Setting in_our_words(Setting setting) {
  if (setting.key == "method") setting.key = "algo";
  if (setting.key == "algo" && setting.value == FieldValue("a3c")) setting.value = "a2c";
  return setting;
}

FieldList EnvConfig::fields() {
  FieldList all = {{.key = "id",
                    .target = &id,
                    .meaning = "environment, as `tandem envs` lists them",
                    .source = "PAAC, section 5"}};
  if (family) append(all, family->fields());
  return all;
}

EnvFactory EnvConfig::factory(std::uint64_t seed) const {
  return [family = family, name = env_name(id), seed](int index) {
    return family->make(name, emulator_seed(seed, index));
  };
}

std::int64_t EnvConfig::frames_per_step() const {
  return family->make(env_name(id), 0)->spec().frames_per_step;
}

FieldList Config::fields() {
  FieldList all = {
      {.key = "system",
       .target = &system,
       .meaning = "published system, as `tandem systems` lists them"},
      algo_field(algo),
  };
  append(all, prefixed("run.", run.fields()));
  append(all, prefixed(kEnvPrefix, env.fields()));
  append(all, prefixed("net.", net.fields()));
  for (auto& [table, fields] : algorithm_fields()) {
    if (table == table_of(algo)) append(all, prefixed(table, fields));
  }
  append(all, prefixed("optimizer.", optimizer.fields()));
  if (system == "paac") append(all, prefixed("paac.", paac.fields()));
  if (system == "a3c") append(all, prefixed("a3c.", a3c.fields()));
  if (system == "ga3c") append(all, prefixed("ga3c.", ga3c.fields()));
  if (system == "hts") append(all, prefixed("hts.", hts.fields()));
  if (system == "impala") append(all, prefixed("impala.", impala.fields()));
  if (system == "apex") {
    append(all, prefixed("apex.", apex.fields()));
    append(all, prefixed("replay.", replay.fields()));
  }
  return all;
}

FieldList Config::unused_fields() {
  FieldList all;
  for (auto& [table, fields] : algorithm_fields()) {
    if (table != table_of(algo)) append(all, prefixed(table, fields));
  }
  return all;
}

std::array<std::pair<std::string, FieldList>, 5> Config::algorithm_fields() {
  return {{{"a2c.", a2c.fields()},
           {"ppo.", ppo.fields()},
           {"q.", q.fields()},
           {"dqn.", dqn.fields()},
           {"dpg.", dpg.fields()}}};
}

std::string Config::toml() const {
  Config copy = *this;  // fields() needs variables that may be set
  return to_toml(copy.fields());
}

EnvConfig load_env_config(const std::vector<Setting>& settings) {
  auto env = choose_env(settings);
  const auto fields = prefixed(kEnvPrefix, env.fields());
  for (const auto& setting : settings) apply(setting, fields, env.id);
  return env;
}

Config load_config(const std::string& system, const std::vector<Setting>& given) {
  const auto settings = in_our_words(given);
  Config config;
  if (!system.empty()) config.system = system;
  apply_first({.key = "system", .target = &config.system, .meaning = ""}, settings);
  check_system(config.system);
  if (!system.empty() && config.system != system) {
    check_system(system);
    throw Error(fmt::format("this config is for the system {}, not {}", config.system, system));
  }
  if (config.system == "a3c") set_a3c_defaults(config);
  if (config.system == "ga3c") set_ga3c_defaults(config);
  if (config.system == "impala") set_impala_defaults(config);
  if (config.system == "apex") set_apex_defaults(config);
  config.env = choose_env(settings);
  apply_first(algo_field(config.algo), settings);
  if (config.algo == "ppo") set_ppo_defaults(config);
  if (config.algo == "dpg") set_dpg_defaults(config);
  const auto fields = config.fields();
  const auto unused = config.unused_fields();
  for (const auto& setting : settings) {
    apply(setting, is_unused(setting, unused, config.algo) ? unused : fields, config.env.id);
  }
  // From the seed alone: a resumed run and a reloaded config draw the same.
  draw_learning_rate(config.optimizer, static_cast<std::uint64_t>(config.run.seed));
  return config;
}

void require_same_experiment(Config now, Config before) {
  const auto fields = now.fields();
  for (const auto& old : before.fields()) {
    if (std::ranges::find(kMayChange, old.key) != kMayChange.end()) continue;
    const auto field = std::ranges::find(fields, old.key, &Field::key);
    if (field != fields.end() && field_value(*field) == field_value(old)) continue;
    throw Error(
        fmt::format("a resumed run keeps {} = {}; start a new run with --config for another value",
                    old.key, field_text(old)));
  }
}

}  // namespace tandem
