// The version of this program, and of the libraries that compute its networks.
#pragma once

#include <string>

namespace tandem {

/// The program's version, and a line for each library of networks: its version, the file that holds
/// it, or the places that were searched. Loads none of them.
[[nodiscard]] std::string version_text();

}  // namespace tandem
