// Formats the end of each command's help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tandem {

/// Ends `tandem COMMAND --help` with `text`, if there is any, and then with example command lines,
/// which work as they stand. An example on two lines ends the first with a backslash. Leaves out
/// newlines at the start of `text`, because a raw string begins with one.
void end_help(CLI::App& command, const std::vector<std::string>& examples, std::string text = "");

}  // namespace tandem
