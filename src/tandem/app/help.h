// The form in which the help of a command ends.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tandem {

/// Ends `tandem COMMAND --help` with `text`, if there is any, and below it with example command
/// lines, which work as they are written. An example that needs two lines ends the first with a
/// backslash. Newlines before the text, as raw strings begin with one, are left out.
void end_help(CLI::App& command, const std::vector<std::string>& examples, std::string text = "");

}  // namespace tandem
