// The Python and the Python code with which some commands do their work.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The Python of $TANDEM_PYTHON, or else that of a wheel, or that of `make setup`, which has all
/// packages that tandem's Python code needs. Throws Error when there is none; the message says with
/// the purpose ("draws the curves") and the package ("matplotlib") what that Python is for.
[[nodiscard]] std::filesystem::path find_python(const std::string& purpose,
                                                const std::string& package);

/// The folder of Python code that is a program: in the source tree beside the build folder, in the
/// installation, or in a wheel. Throws Error if it is in none of them.
[[nodiscard]] std::filesystem::path find_python_code(std::string_view name);

/// This program's own file.
[[nodiscard]] std::filesystem::path own_program();

/// Becomes this program, whose path or name is the first word. Returns only by throwing Error, when
/// it cannot be started.
[[noreturn]] void become_python(std::vector<std::string> words);

}  // namespace tandem
