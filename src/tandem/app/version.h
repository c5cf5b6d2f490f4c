// The versions of this program and of the libraries that compute its networks.
#pragma once

#include <string>

namespace tandem {

/// The program's version, and a line for each library that computes networks: its version, its
/// file, or the folders that were searched for it. Loads the backend of libtorch if it is there,
/// because only that shows whether it works.
[[nodiscard]] std::string version_text();

}  // namespace tandem
