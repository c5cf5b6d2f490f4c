#include "tandem/trainer/config_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tandem/base/error.h"
#include "tandem/run/run_directory.h"
#include "tandem/trainer/network_settings.h"
#include "tandem/trainer/presets.h"

namespace tandem {
namespace {

using Load = decltype(&load_config);

Config load_over(std::vector<Setting> settings, const ConfigRequest& request,
                 const std::vector<Setting>& last, Load load) {
  std::ranges::copy(request.settings, std::back_inserter(settings));
  std::ranges::copy(last, std::back_inserter(settings));
  auto config = load(request.system, settings, published());
  // A learning rate that the user has set is not drawn at random, even if the preset asks for it.
  const auto fields = config.fields();
  if (!request.sets("optimizer.lr", fields) || request.sets("optimizer.lr_choice", fields)) {
    return config;
  }
  settings.push_back({"optimizer.lr_choice", std::string("lr"), "--set optimizer.lr"});
  return load(request.system, settings, published());
}

/// A run's config.toml holds numbers that random play has measured in its environment. Notes which
/// ones `config` takes over. Throws Error if one of them would be used in another environment.
void take_over_numbers(const ConfigRequest& request, const std::vector<Setting>& base,
                       const std::vector<Setting>& last, Config& config) {
  const std::filesystem::path file = request.base;
  const RunPaths run{file.parent_path()};
  std::ifstream measured(run.measured());
  if (file != run.config() || !measured) return;
  std::string id;
  apply_first({.key = "env.id", .target = &id, .meaning = ""}, base);
  const auto fields = config.fields();
  for (std::string key; std::getline(measured, key);) {
    const bool varies = std::ranges::find(last, key, &Setting::key) != last.end();
    if (varies || request.sets(key, fields)) continue;
    config.measured.push_back(key);
    if (id == config.env.id) continue;
    throw Error(fmt::format(
        "{}: {} was measured in {}; let it be measured in {} by --set {}={}, or start from a "
        "preset",
        request.base, key, id, config.env.id, key, key == "net.pixel_mean" ? "median" : ""));
  }
}

}  // namespace

void ConfigRequest::read_base() {
  if (base.empty() || base_settings) return;
  base_settings = find_config(published()->presets, base);
}

Config ConfigRequest::load(const std::vector<Setting>& last) const {
  if (base.empty()) return load_over({}, *this, last, choose_config);
  const auto own = base_settings ? *base_settings : find_config(published()->presets, base);
  auto config = load_over(own, *this, last, load_config);
  take_over_numbers(*this, own, last, config);
  if (last.empty() && !config.left_out.empty()) {
    spdlog::info("{} has options of another environment, which {} lacks: {}", base, config.env.id,
                 fmt::join(config.left_out, ", "));
  }
  return config;
}

bool ConfigRequest::sets(const std::string& key, const FieldList& fields) const {
  return std::ranges::any_of(settings, [&](const Setting& setting) {
    return find_field(published()->in_common_words(setting), fields).key == key;
  });
}

Config load_resumed(const std::filesystem::path& config_file, const ConfigRequest& changes) {
  const auto settings = with_younger_keys(read_toml(config_file));
  const auto before = load_config("", settings);
  auto now = load_over(settings, changes, {}, load_config);
  require_same_experiment(now, before);
  return now;
}

}  // namespace tandem
