// The places of plug-ins, backends and scripts, which are not part of this program's file.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// The folder of the file that holds this function: the program's if it is linked statically, else
/// that of the shared library or plug-in. Absolute, without symbolic links. Thread-safe. Throws
/// std::filesystem::filesystem_error if the system does not report it.
[[nodiscard]] std::filesystem::path own_folder();

/// The folders to search for parts of a kind ("plugins"): those that the environment variable
/// lists, with colons between them, or, if it is empty or not set, those beside own_folder(). These
/// defaults serve a build folder, an installed program and an installed library alike. Thread-safe
/// as long as nobody changes the process's environment variables.
[[nodiscard]] std::vector<std::filesystem::path> places_of(const std::string& kind,
                                                           const char* variable);

/// The folder of a plug-in's data: the one that the user names, or else that of the environment
/// variable, or else NAME beside an installed plug-in, or else the one that the plug-in was built
/// with. Thread-safe as places_of().
[[nodiscard]] std::filesystem::path data_folder(const std::string& named, const char* variable,
                                                const char* name, const char* built_with);

/// Whether the environment variable has a value that is not empty. Thread-safe as places_of().
[[nodiscard]] bool is_set(const char* variable);

/// The Python of `make setup`, which has the packages that tandem's Python code needs: .venv in the
/// source tree around own_folder(), or else in the working directory. Empty if there is none.
/// Thread-safe as long as nobody changes the working directory.
[[nodiscard]] std::filesystem::path setup_python();

/// Whether own_folder() is that of the Python package in a wheel, which has the headers of plug-ins
/// beside the program. Thread-safe.
[[nodiscard]] bool in_wheel();

/// The folders as one text with colons between them, as an environment variable lists them.
[[nodiscard]] std::string joined(std::span<const std::filesystem::path> folders);

}  // namespace tandem
