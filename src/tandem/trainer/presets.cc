#include "tandem/trainer/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"

namespace tandem {
namespace {

const Preset* find(std::span<const Preset> presets, const std::string& name) {
  const auto found = std::ranges::find(presets, name, &Preset::name);
  return found == presets.end() ? nullptr : &*found;
}

std::vector<Setting> settings_of(const Preset& preset) {
  return parse_toml(preset.toml, "preset " + preset.name);
}

}  // namespace

std::vector<Setting> preset_settings(std::span<const Preset> presets, const std::string& name) {
  const auto* preset = find(presets, name);
  return preset == nullptr ? std::vector<Setting>{} : settings_of(*preset);
}

std::vector<Setting> find_config(std::span<const Preset> presets, const std::string& name) {
  if (std::filesystem::is_regular_file(name)) return read_toml(name);
  if (const auto* preset = find(presets, name)) return settings_of(*preset);
  if (std::filesystem::exists(name)) return read_toml(name);  // throws: it is a folder
  std::vector<std::string> names;
  for (const auto& preset : presets) names.push_back(preset.name);
  const auto near = nearest(name, names);
  throw Error(fmt::format("there is no config file and no preset {};{} the presets are {}", name,
                          near.empty() ? "" : " did you mean " + near + "?",
                          fmt::join(names, ", ")));
}

}  // namespace tandem
