// Presets: configs with names, such as those with the papers' hyperparameters.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tandem/io/settings.h"

namespace tandem {

/// A config file with a name. Value type.
struct Preset {
  std::string name;  // "paac/paper_nips"
  std::string toml;  // the file's text
};

/// The presets in the folder configs, in alphabetical order. The build compiles them into the
/// library.
[[nodiscard]] std::vector<Preset> published_presets();

/// The settings of the preset of this name; empty if there is no such preset.
[[nodiscard]] std::vector<Setting> preset_settings(std::span<const Preset> presets,
                                                   const std::string& name);

/// The settings of `--config NAME`: from the file with that path, or else from the preset with that
/// name. Throws Error, and offers the nearest preset, when there is neither.
[[nodiscard]] std::vector<Setting> find_config(std::span<const Preset> presets,
                                               const std::string& name);

}  // namespace tandem
