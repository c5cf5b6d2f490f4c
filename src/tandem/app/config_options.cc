#include "tandem/app/config_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/trainer/config_request.h"
#include "tandem/trainer/measured.h"
#include "tandem/trainer/presets.h"

namespace tandem {
namespace {

constexpr const char* kSetsAnyKey =
    "Set a config key; the last part of a key will do when it is unique";

/// Refuses a config for another process that can be read only once, by this one.
void require_lasting(const std::string& config) {
  std::error_code missing;
  const auto status = std::filesystem::status(config, missing);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status) ||
      std::filesystem::is_directory(status)) {
    return;
  }
  throw Error(fmt::format(
      "--config {}: another process reads this config, too, and a pipe gives it only once; write "
      "it to a file",
      config));
}

}  // namespace

void add_sets(CLI::App& app, std::vector<std::string>& sets, const std::string& meaning) {
  app.add_option("--set", sets, meaning)->type_name("KEY=VALUE")->allow_extra_args(false);
}

std::vector<Setting> parse_sets(const std::vector<std::string>& sets) {
  std::vector<Setting> settings;
  std::ranges::transform(sets, std::back_inserter(settings), parse_assignment);
  return settings;
}

std::int64_t parse_count(const std::string& option, const std::string& text) {
  std::int64_t count = 0;
  set_field_text({.key = option, .target = &count, .meaning = "", .least = 1, .most = 1e15}, text);
  return count;
}

void ConfigOptions::add_to(CLI::App& app, const std::vector<std::string>& without) {
  flags_ = {{"--env", "env.id"},
            {"--steps", "run.steps"},
            {"--seed", "run.seed"},
            {"--threads", "run.threads"},
            {"--device", "run.device"}};
  if (!for_one_system_) {
    app.add_option("SYSTEM", system_, "Published system, as `tandem systems` lists them");
  }
  app.add_option("--config", config_, "TOML file, or the name of a preset such as paac/paper_nips")
      ->type_name("FILE");
  add_sets(app, sets_, kSetsAnyKey);
  const auto add = [&](const char* name, const char* type, const char* meaning) -> CLI::Option* {
    if (std::ranges::find(without, name) != without.end()) return nullptr;
    const auto flag = std::ranges::find(flags_, name, &Flag::name);
    return app.add_option(name, flag->text, meaning)->type_name(type);
  };
  add("--env", "ID", "Environment, as `tandem envs` lists them (env.id)");
  auto* steps = add("--steps", "N", "Training steps (run.steps); 20M, 5k and 1e6 are numbers, too");
  if (steps != nullptr) {
    app.add_option("--frames", frames_, "The same in emulated frames, 4 a step on Atari")
        ->type_name("N")
        ->excludes(steps);
  }
  add("--seed", "S", "Seed of every random stream (run.seed)");
  add("--threads", "N", "Thread budget (run.threads); 0: as many as cores");
  add("--device", "D", "cpu or cuda (run.device)");
}

bool ConfigOptions::has_budget() const {
  return !frames_.empty() || !std::ranges::find(flags_, "--steps", &Flag::name)->text.empty();
}

nlohmann::ordered_json ConfigOptions::json(const std::filesystem::path& resumed) const {
  require_lasting(config_);
  auto settings = nlohmann::ordered_json::array();
  for (const auto& setting : request().settings) {
    settings.push_back({setting.key, std::get<std::string>(setting.value)});
  }
  if (!frames_.empty()) {
    const auto config = resumed.empty() ? load() : load_resumed(resumed);
    settings.push_back({"run.steps", std::to_string(config.run.steps)});
  }
  return {{"system", system_}, {"config", config_}, {"settings", settings}};
}

ConfigRequest ConfigOptions::request() const {
  ConfigRequest request{.system = system_, .base = config_, .settings = parse_sets(sets_)};
  for (const auto& flag : flags_) {
    if (!flag.text.empty()) request.settings.push_back({flag.key, flag.text, flag.name});
  }
  return request;
}

Config ConfigOptions::load() const { return load_with({}); }

Config ConfigOptions::load_for(const std::string& system, const std::vector<Setting>& last) const {
  auto request = this->request();
  request.system = system;
  return load(std::move(request), last);
}

Config ConfigOptions::load_with(const std::vector<Setting>& last) const {
  return load(request(), last);
}

std::vector<Setting> ConfigOptions::base_settings() const {
  const Lock lock(mutex_);
  if (!base_settings_) base_settings_ = find_config(published()->presets, config_);
  return *base_settings_;
}

Config ConfigOptions::load(ConfigRequest request, const std::vector<Setting>& last) const {
  if (!config_.empty()) request.base_settings = base_settings();
  auto config = request.load(last);
  const bool overridden = std::ranges::find(last, "run.steps", &Setting::key) != last.end();
  return overridden ? config : with_frames(std::move(config));
}

bool ConfigOptions::sets(const std::string& key, const FieldList& fields) const {
  if (key == "run.steps" && !frames_.empty()) return true;
  return request().sets(key, fields);
}

Config ConfigOptions::load_resumed(const std::filesystem::path& config_file) const {
  if (!config_.empty()) {
    throw Error("a resumed run has its own config; leave --config out");
  }
  return with_frames(tandem::load_resumed(config_file, request()));
}

Config ConfigOptions::with_frames(Config config) const {
  if (frames_.empty()) return config;
  const auto steps = parse_count("--frames", frames_) / config.env.frames_per_step();
  config.run.steps = std::max<std::int64_t>(1, steps);
  return config;
}

void EnvOptions::add_to(CLI::App& app) {
  app.add_option("--env", env_, "Environment, as `tandem envs` lists them")
      ->type_name("ID")
      ->required();
  add_sets(app, sets_, kSetsAnyKey);
}

EnvConfig EnvOptions::load() const {
  auto settings = parse_sets(sets_);
  settings.push_back({"env.id", env_, "--env"});
  constexpr std::uint64_t kSeed = 1;
  return measured(load_env_config(settings, *published()), kSeed);
}

}  // namespace tandem
