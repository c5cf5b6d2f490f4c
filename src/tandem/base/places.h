// Where the parts of tandem that are no code of this program lie: plug-ins, backends, scripts.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// The folder of the file that holds this function: that of the program where it is linked
/// statically, that of the shared library or plug-in otherwise. Absolute, without symbolic links.
/// Thread-safe. Throws std::filesystem::filesystem_error where the system does not tell.
[[nodiscard]] std::filesystem::path own_folder();

/// Where parts of a kind ("plugins") are looked for: the folders that the environment variable
/// lists, with colons between them, or, where it is empty or not set, those beside own_folder().
/// The same list serves a build folder, an installed program and an installed library. Thread-safe
/// as long as nobody changes the process's environment variables.
[[nodiscard]] std::vector<std::filesystem::path> places_of(const std::string& kind,
                                                           const char* variable);

/// The folders as the variable would list them.
[[nodiscard]] std::string joined(std::span<const std::filesystem::path> folders);

}  // namespace tandem
