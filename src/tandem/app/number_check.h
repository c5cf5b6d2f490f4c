// Numbers on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>

namespace tandem {

/// For CLI::Option::transform(): the text must be an integer within these limits. It is read as
/// config keys are: "010" is ten, and "5k" is a number, too.
CLI::Validator whole_number(double least, double most = std::numeric_limits<double>::infinity());

/// The same for a number that may have a fraction. "nan" is none.
CLI::Validator real_number(double least, double most);

}  // namespace tandem
