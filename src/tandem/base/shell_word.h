// Words for commands that a user copies into a shell.
#pragma once

#include <string>

namespace tandem {

/// The word as a shell must read it to get these letters. Pure.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace tandem
