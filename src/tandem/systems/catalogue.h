// The published systems that tandem can train with.
#pragma once

#include <span>
#include <string>

namespace tandem {

/// A published system by its name on the command line. Value type.
struct System {
  const char* name;   // as in `tandem train NAME`
  const char* idea;   // one line
  const char* paper;  // authors, title, year, where
};

/// All systems, in the order of the table that `tandem systems` prints. Immutable.
[[nodiscard]] std::span<const System> systems();

/// Throws Error, offering the nearest, when there is no system of this name.
void check_system(const std::string& name);

}  // namespace tandem
