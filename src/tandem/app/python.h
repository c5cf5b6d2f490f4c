// The parts of the program that are written in Python.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The Python of $TANDEM_PYTHON, or else the one of a wheel, or else `.venv` beside the build
/// folder or in the working directory. Empty if there is none of these. Thread-safe as long as
/// nobody changes the process's environment variables.
[[nodiscard]] std::filesystem::path find_python();

/// The folder of a Python program: in a wheel, in the installation, or in the source tree beside
/// the build folder. Throws Error if it is in none of them.
[[nodiscard]] std::filesystem::path python_program(std::string_view name);

/// Replaces this process by a Python, the first of the words, which is searched on $PATH. Throws
/// Error if it cannot be started.
[[noreturn]] void become_python(std::vector<std::string> words);

}  // namespace tandem
