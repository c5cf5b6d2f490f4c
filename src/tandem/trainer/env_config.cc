#include "tandem/trainer/env_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/env/family.h"
#include "tandem/env/normalised_env.h"
#include "tandem/env/spec_check.h"
#include "tandem/trainer/catalogue.h"

namespace tandem {
namespace {

const std::string kEnvPrefix = "env.";

std::uint64_t emulator_seed(std::uint64_t seed, int index) {
  Stream stream(seed, streams::kEmulators.id(static_cast<std::uint64_t>(index)));
  const std::uint64_t high = stream.bits();
  return high << 32 | stream.bits();
}

double number_of(const std::string& key, const std::string& word) {
  double number = 0;
  const auto* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  if (error == std::errc{} && rest == end && std::isfinite(number)) return number;
  throw Error(
      fmt::format("env.{} needs numbers separated by spaces; \"{}\" is not a number", key, word));
}

std::vector<double> numbers_of(const std::string& key, const std::string& text) {
  std::vector<double> numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;) numbers.push_back(number_of(key, word));
  return numbers;
}

std::vector<std::string> option_keys(EnvConfig& env) {
  std::vector<std::string> keys;
  for (const auto& field : prefixed(kEnvPrefix, env.fields())) keys.push_back(field.key);
  return keys;
}

// The options of an environment; empty where its plug-in is not there.
std::optional<std::vector<std::string>> options_of(const std::string& id,
                                                   const Catalogue& catalogue) {
  EnvConfig env;
  try {
    env.family = catalogue.family(id);
  } catch (const Error&) {
    return std::nullopt;
  }
  return option_keys(env);
}

// An unknown option env.* most likely comes from a config for another environment.
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
                    .source = "PAAC, section 5"},
                   {.key = "normalise",
                    .target = &normalise,
                    .meaning = "shift and scale each number of an observation to mean 0 and "
                               "deviation 1, within +-10: true, by random play before training; "
                               "running, by all observations learned from so far; not for pixels; "
                               "auto: true where the observation is a list of numbers",
                    .source = "not in the papers; running: Stable-Baselines3's VecNormalize",
                    .choices = {"false", "true", "auto", "running"}},
                   {.key = "normalise_rewards",
                    .target = &normalise_rewards,
                    .meaning = "divide rewards by the running deviation of the discounted return, "
                               "within +-10, before the algorithm clips them; scores are not",
                    .source = "not in the papers; Stable-Baselines3's VecNormalize"},
                   {.key = "observation_mean",
                    .target = &observation_mean,
                    .meaning = "normalise: the mean of each number, separated by spaces; empty: "
                               "measured when a run begins"},
                   {.key = "observation_deviation",
                    .target = &observation_deviation,
                    .meaning = "normalise: the deviation of each number, likewise"}};
  if (family) std::ranges::move(family->fields(), std::back_inserter(all));
  return all;
}

EnvFactory EnvConfig::factory(std::uint64_t seed) const {
  return factory([seed](int index) { return emulator_seed(seed, index); });
}

EnvFactory EnvConfig::factory(const std::vector<std::uint64_t>& seeds) const {
  // An environment of another library plays the games that it plays there with the same seed.
  const bool as_they_are = family->makes_groups();
  return factory([seeds, as_they_are](int index) {
    const auto seed = seeds.at(static_cast<std::size_t>(index));
    return as_they_are ? seed : emulator_seed(seed, 0);
  });
}

EnvFactory EnvConfig::factory(const std::function<std::uint64_t(int index)>& seed_of) const {
  const auto scale = this->scale();
  if (family->makes_groups()) {
    return EnvFactory::of_groups(
        [family = family, name = env_name(id), seed_of, scale](int first, int count) {
          std::vector<std::uint64_t> seeds;
          for (int index = first; index < first + count; ++index) seeds.push_back(seed_of(index));
          auto group = family->make_group(name, seeds);
          return scale == nullptr ? std::move(group) : make_normalised(std::move(group), scale);
        });
  }
  return [family = family, name = env_name(id), seed_of, scale](int index) {
    auto env = family->make(name, seed_of(index));
    return scale == nullptr ? std::move(env) : make_normalised(std::move(env), scale);
  };
}

std::shared_ptr<const ObservationScale> EnvConfig::scale() const {
  if (normalise == "false" || has_running_statistics()) return nullptr;
  if (lacks_scale()) throw std::logic_error("the numbers for env.normalise are not measured yet");
  ObservationScale scale{.mean = numbers_of("observation_mean", observation_mean),
                         .deviation = numbers_of("observation_deviation", observation_deviation)};
  if (std::ranges::any_of(scale.deviation, [](double one) { return one <= 0; })) {
    throw Error("env.observation_deviation needs numbers above 0");
  }
  return std::make_shared<const ObservationScale>(std::move(scale));
}

EnvSpec EnvConfig::spec() const {
  const auto env = family->make(env_name(id), 0);
  if (env == nullptr) throw Error(fmt::format("the family of {} made no environment", id));
  auto spec = env->spec();
  require_sane(spec);
  return spec;
}

bool EnvConfig::lacks_scale() const {
  if (normalise == "auto") return true;
  return normalise == "true" && observation_mean.empty() && observation_deviation.empty();
}

void EnvConfig::set_scale(const ObservationScale& scale) {
  observation_mean = fmt::format("{}", fmt::join(scale.mean, " "));
  observation_deviation = fmt::format("{}", fmt::join(scale.deviation, " "));
}

std::int64_t EnvConfig::frames_per_step() const { return spec().frames_per_step; }

bool is_of_machine(std::string_view option) {
  constexpr std::array<std::string_view, 3> kNames = {"python", "workers", "timeout_seconds"};
  return option.ends_with("_dir") || std::ranges::find(kNames, option) != kNames.end();
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
  for (const auto& field : prefixed(kEnvPrefix, env.fields())) {
    try {
      apply_first(field, settings);
    } catch (const Error&) {
      continue;  // a short key may belong to another table; load_config reports real errors
    }
  }
  return env;
}

EnvConfig load_env_config(const std::vector<Setting>& settings, const Catalogue& catalogue) {
  auto env = choose_env(settings, catalogue);
  const auto fields = prefixed(kEnvPrefix, env.fields());
  for (const auto& setting : settings) apply_with_env_hint(setting, fields, env.id);
  if (env.has_running_statistics() || env.normalise_rewards) {
    throw Error(
        "env.normalise = \"running\" and env.normalise_rewards belong to the training of an agent, "
        "and this is an environment alone; use env.normalise = \"true\", or leave them out");
  }
  return env;
}

std::vector<std::string> remove_options_of_other_env(std::vector<Setting>& settings,
                                                     EnvConfig& chosen,
                                                     const Catalogue& catalogue) {
  const auto is_from_file = [](const Setting& setting) {
    return setting.origin == Setting::Origin::file;
  };
  std::vector<Setting> of_files;
  std::ranges::copy_if(settings, std::back_inserter(of_files), is_from_file);
  std::string id = chosen.id;
  apply_first({.key = "env.id", .target = &id, .meaning = ""}, of_files);
  if (env_family_name(id) == env_family_name(chosen.id)) return {};

  const auto known = option_keys(chosen);
  const auto others = options_of(id, catalogue);
  std::vector<std::string> removed;
  std::erase_if(settings, [&](const Setting& setting) {
    if (!is_from_file(setting) || !setting.key.starts_with(kEnvPrefix)) return false;
    if (std::ranges::find(known, setting.key) != known.end()) return false;
    if (others && std::ranges::find(*others, setting.key) == others->end()) return false;
    removed.push_back(setting.key);
    return true;
  });
  return removed;
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
