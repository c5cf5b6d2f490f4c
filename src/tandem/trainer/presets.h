// Presets: configs with the papers' numbers, by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tandem/io/settings.h"

namespace tandem {

/// A config file that has a name. Value type.
struct Preset {
  std::string name;  // "paac/paper_nips"
  std::string toml;  // the file's text
};

/// The presets of the folder configs, which the build puts into the library, in alphabetical order.
[[nodiscard]] std::vector<Preset> published_presets();

/// The settings of the preset of this name; empty if there is no such preset.
[[nodiscard]] std::vector<Setting> preset_settings(std::span<const Preset> presets,
                                                   const std::string& name);

/// The settings that `--config NAME` means: those of the file of that path, or else of the preset
/// of that name. Throws Error, offering the nearest preset, when there is neither.
[[nodiscard]] std::vector<Setting> find_config(std::span<const Preset> presets,
                                               const std::string& name);

}  // namespace tandem
