// Presets: configs with the papers' numbers, by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tandem/io/settings.h"

namespace tandem {

/// A preset with the text of its file. Value type.
struct Preset {
  std::string name;  // "paac/paper_nips"
  std::string toml;
};

/// The presets of the folder configs, which the build puts into the library, in alphabetical order.
[[nodiscard]] std::vector<Preset> published_presets();

/// The settings of the preset of this name; empty if there is no such preset.
[[nodiscard]] std::vector<Setting> preset_settings(std::span<const Preset> presets,
                                                   const std::string& name);

/// The settings of --config NAME: those of the file at that path, or else those of the preset of
/// that name. Throws Error, and offers the nearest preset, when there is neither.
[[nodiscard]] std::vector<Setting> find_config(std::span<const Preset> presets,
                                               const std::string& name);

}  // namespace tandem
