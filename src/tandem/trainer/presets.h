// Finds config files: the user's own, and the presets that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// The names of all presets ("paac/paper_nips"), in alphabetical order, from the folder `configs`
/// beside the program, beside the program's folder, or in share/tandem of an installation.
[[nodiscard]] std::vector<std::string> preset_names();

/// The file that --config NAME means: the file of that path, or else the preset of that name.
/// Throws Error, offering the nearest preset, when there is neither.
[[nodiscard]] std::filesystem::path find_config(const std::string& name);

}  // namespace tandem
