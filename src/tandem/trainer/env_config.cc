#include "tandem/trainer/env_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/trainer/catalogue.h"

namespace tandem {
namespace {

const std::string kEnvPrefix = "env.";

// Streams of environments have the ids from 0 on; these are far above.
constexpr std::uint64_t kEmulatorSeeds = std::uint64_t{1} << 40;

std::uint64_t emulator_seed(std::uint64_t seed, int index) {
  Stream stream(seed, kEmulatorSeeds + static_cast<std::uint64_t>(index));
  const std::uint64_t high = stream.bits();
  return high << 32 | stream.bits();
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

}  // namespace

FieldList EnvConfig::fields() {
  FieldList all = {{.key = "id",
                    .target = &id,
                    .meaning = "environment, as `tandem envs` lists them",
                    .source = "PAAC, section 5"}};
  if (family) std::ranges::move(family->fields(), std::back_inserter(all));
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

EnvConfig choose_env(const std::vector<Setting>& settings, const Catalogue& catalogue) {
  EnvConfig env;
  apply_first({.key = "env.id", .target = &env.id, .meaning = ""}, settings);
  env.family = catalogue.family(env.id);
  return env;
}

EnvConfig choose_env_with_options(const std::vector<Setting>& settings,
                                  const Catalogue& catalogue) {
  auto env = choose_env(settings, catalogue);
  for (const auto& field : prefixed(kEnvPrefix, env.fields())) apply_first(field, settings);
  return env;
}

EnvConfig load_env_config(const std::vector<Setting>& settings, const Catalogue& catalogue) {
  auto env = choose_env(settings, catalogue);
  const auto fields = prefixed(kEnvPrefix, env.fields());
  for (const auto& setting : settings) apply_with_env_hint(setting, fields, env.id);
  return env;
}

void apply_with_env_hint(const Setting& setting, const FieldList& fields,
                         const std::string& env_id) {
  check_env_option(setting, env_id, fields);
  apply_setting(setting, fields);
}

void apply_first(const Field& field, const std::vector<Setting>& settings) {
  for (const auto& setting : settings) {
    const bool short_match =
        setting.origin == Setting::Origin::command_line && field.key.ends_with("." + setting.key);
    if (setting.key == field.key || short_match) apply_setting(setting, {field});
  }
}

}  // namespace tandem
