// The version of this program, and the libraries that compute its networks.
#pragma once

#include <string>

namespace tandem {

/// The program's version, and a line for each library of networks: its version, or where it is, or
/// where it was looked for. Loads none of them.
[[nodiscard]] std::string version_text();

}  // namespace tandem
