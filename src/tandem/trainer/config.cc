#include "tandem/trainer/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/trainer/default_preset.h"
#include "tandem/trainer/network_settings.h"

namespace tandem {
namespace {

/// Whether a run may go on with another value, such as the folders of another machine.
bool may_change(const std::string& key) {
  constexpr std::string_view kEnv = "env.";
  if (key.starts_with(kEnv)) return is_of_machine(key.substr(kEnv.size()));
  return key.starts_with("run.") && key != "run.seed";
}

void append(FieldList& all, FieldList more) { std::ranges::move(more, std::back_inserter(all)); }

Field algo_field(std::string& algo, const Catalogue& catalogue) {
  Field field{.key = "algo",
              .target = &algo,
              .meaning =
                  "the algorithm that learns from the experience; `method` is taken for the key, "
                  "too, and a3c for a2c",
              .source = "A3C, section 4; PAAC, section 4: the framework takes any algorithm"};
  for (const auto& one : catalogue.algorithms) field.choices.push_back(one->info().name);
  return field;
}

// A file may hold the hyperparameters of several algorithms. On the command line, a hyperparameter
// of another algorithm is a mistake.
bool is_unused(const Setting& setting, const FieldList& unused, const std::string& algo) {
  if (std::ranges::find(unused, setting.key, &Field::key) == unused.end()) return false;
  if (setting.origin == Setting::Origin::file) return true;
  throw Error(
      fmt::format("{}: {} is not a key of the algorithm {}; `tandem keys` lists those that "
                  "are",
                  setting.where, setting.key, algo));
}

/// Applies the settings of a preset whose keys the config has. The system, the algorithm and the
/// environment stay as they are.
void apply_defaults(Config& config, const std::vector<Setting>& preset) {
  const auto fields = config.fields();
  for (const auto& setting : preset) {
    const auto field = std::ranges::find(fields, setting.key, &Field::key);
    if (field == fields.end() || field->key == "system" || field->key == "algo") continue;
    if (field->key.starts_with("env.")) continue;
    apply_setting(setting, {*field});
  }
}

/// The settings under their current, common keys. Leaves out the table [default_for], which is for
/// presets alone.
std::vector<Setting> settings_for_config(const std::vector<Setting>& given,
                                         const Catalogue& catalogue) {
  std::vector<Setting> settings;
  for (const auto& setting : given) {
    if (!setting.key.starts_with("default_for.")) {
      settings.push_back(under_todays_key(catalogue.in_common_words(setting)));
    }
  }
  return settings;
}

std::string system_of(const std::string& given, const std::vector<Setting>& settings,
                      const Catalogue& catalogue) {
  if (catalogue.systems.empty()) throw Error("the catalogue has no system to train with");
  std::string name = given.empty() ? catalogue.systems.front()->info().name : given;
  apply_first({.key = "system", .target = &name, .meaning = ""}, settings);
  static_cast<void>(catalogue.system(name));
  if (given.empty() || name == given) return name;
  static_cast<void>(catalogue.system(given));
  throw Error(fmt::format("this config is for the system {}, not {}", name, given));
}

}  // namespace

AlgorithmEntry& Config::algorithm() const {
  const auto found =
      std::ranges::find(algorithms, algo, [](const auto& one) { return one->info().name; });
  if (found == algorithms.end()) throw Error(fmt::format("there is no algorithm {}", algo));
  return **found;
}

FieldList Config::fields() {
  FieldList all = {
      {.key = "system",
       .target = &system_name,
       .meaning = "published system, as `tandem systems` lists them"},
      algo_field(algo, *catalogue),
  };
  append(all, prefixed("run.", run.fields()));
  append(all, prefixed("env.", env.fields()));
  append(all, prefixed("net.", net.fields()));
  append(all, prefixed(algorithm().info().table + ".", algorithm().fields()));
  append(all, prefixed("optimizer.", optimizer.fields()));
  append(all, system->fields());
  return all;
}

FieldList Config::unused_fields() {
  FieldList all;
  std::vector<std::string> tables = {algorithm().info().table};
  for (const auto& one : algorithms) {
    if (std::ranges::find(tables, one->info().table) != tables.end()) continue;
    tables.push_back(one->info().table);
    append(all, prefixed(tables.back() + ".", one->fields()));
  }
  return all;
}

std::string Config::toml() const {
  Config copy = *this;  // fields() needs variables that it can point to
  return to_toml(copy.fields());
}

Config Config::own_copy() const { return load_config("", parse_toml(toml(), "config"), catalogue); }

Config load_config(const std::string& system, const std::vector<Setting>& given,
                   const std::shared_ptr<const Catalogue>& catalogue) {
  catalogue->require_distinct_names();
  auto settings = settings_for_config(given, *catalogue);
  if (catalogue->algorithms.empty()) throw Error("the catalogue has no algorithm to train with");
  Config config;
  config.catalogue = catalogue;
  config.system_name = system_of(system, settings, *catalogue);
  config.algo = catalogue->algorithms.front()->info().name;
  config.system = ClonePtr(catalogue->system(config.system_name).clone());
  for (const auto& one : catalogue->algorithms) config.algorithms.emplace_back(one->clone());

  const auto defaults = preset_settings(catalogue->presets, config.system_name + "/atari");
  const auto algo = algo_field(config.algo, *catalogue);
  apply_first(algo, defaults);
  const auto usual = config.algo;  // as in the system's default preset
  auto chooses_env = defaults;
  chooses_env.insert(chooses_env.end(), settings.begin(), settings.end());
  config.env = choose_env(chooses_env, *catalogue);
  config.left_out = remove_options_of_other_env(settings, config.env, *catalogue);
  apply_first(algo, settings);
  apply_defaults(config, defaults);
  // A value that is measured in Atari's games is not for presets of other tasks, nor for those with
  // a paper's numbers, nor for runs of before the key.
  if (config.net.lacks_pixel_mean()) config.net.pixel_mean = 0;
  if (config.algo != usual) {
    apply_defaults(config, preset_settings(catalogue->presets, "algo/" + config.algo));
  }

  const auto fields = config.fields();
  const auto unused = config.unused_fields();
  for (const auto& setting : settings) {
    apply_with_env_hint(setting, is_unused(setting, unused, config.algo) ? unused : fields,
                        config.env.id);
  }
  settle_network(config.net, settings);
  // Depends on the seed alone: a resumed run and a reloaded config draw the same rate.
  draw_learning_rate(config.optimizer, static_cast<std::uint64_t>(config.run.seed));
  return config;
}

Config choose_config(const std::string& system, const std::vector<Setting>& given,
                     const std::shared_ptr<const Catalogue>& catalogue) {
  const auto settings = settings_for_config(given, *catalogue);
  Task task{.system = system_of(system, settings, *catalogue)};
  apply_first(algo_field(task.algorithm, *catalogue), settings);
  const auto env = choose_env_with_options(settings, *catalogue);
  task.env_id = env.id;
  // Copies of the task share the spec, so the environment is made only once.
  task.spec = [env, spec = std::make_shared<std::optional<EnvSpec>>()] {
    if (!*spec) *spec = env.spec();
    return **spec;
  };
  const auto preset = default_preset(task, *catalogue);
  if (!preset) return load_config(system, given, catalogue);
  auto all = preset_settings(catalogue->presets, preset->name);
  all.push_back({"algo", preset->algorithm, "preset " + preset->name, Setting::Origin::file});
  std::ranges::copy(settings, std::back_inserter(all));
  auto config = load_config(system, all, catalogue);
  config.preset = preset->name;
  return config;
}

Config make_config(const std::string& system, const std::vector<std::string>& words,
                   const std::shared_ptr<const Catalogue>& catalogue) {
  std::vector<Setting> settings;
  std::ranges::transform(words, std::back_inserter(settings), parse_assignment);
  return choose_config(system, settings, catalogue);
}

void require_same_experiment(Config now, Config before) {
  const auto fields = now.fields();
  for (const auto& old : before.fields()) {
    if (may_change(old.key)) continue;
    const auto field = std::ranges::find(fields, old.key, &Field::key);
    if (field != fields.end() && field_value(*field) == field_value(old)) continue;
    throw Error(
        fmt::format("a resumed run keeps {} = {}; start a new run with --config for another value",
                    old.key, field_text(old)));
  }
}

void require_as_trained(const Config& config, const std::vector<Setting>& trained,
                        const std::filesystem::path& config_file) {
  auto own = config.own_copy();
  const auto fields = own.fields();
  for (const auto& setting : settings_for_config(trained, *config.catalogue)) {
    const auto field = std::ranges::find(fields, setting.key, &Field::key);
    if (field == fields.end() || may_change(field->key)) continue;
    // Each load draws it anew, and the last bits of a draw may be those of another machine.
    if (field->key == "optimizer.lr" && own.optimizer.lr_choice == "log_uniform") continue;
    const auto now = field_text(*field);
    try {
      set_field(*field, setting.value);
    } catch (const Error&) {
      continue;  // another version took this value
    }
    const auto before = field_text(*field);
    if (now == before) continue;
    throw Error(
        fmt::format("{} has {} = {}, but the checkpoint was trained with {}: put that value back",
                    config_file.string(), field->key, now, before));
  }
}

}  // namespace tandem
