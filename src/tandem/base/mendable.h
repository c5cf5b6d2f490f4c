// Words for the standard library's exceptions whose cause the user can mend.
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace tandem {

/// The words for the user: the problem, and what to do. They are for errors of the file system, a
/// lack of memory and a thread that cannot be started. nullopt for every other exception, which is
/// an Error or a bug. Thread-safe.
[[nodiscard]] std::optional<std::string> mendable(const std::exception& error);

}  // namespace tandem
