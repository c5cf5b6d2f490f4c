// What this program is, and what it computes networks with.
#pragma once

#include <string>

namespace tandem {

/// The program's version, and a line for each library of networks: its version, or where it is, or
/// where it was looked for. Loads none of them.
[[nodiscard]] std::string version_text();

}  // namespace tandem
