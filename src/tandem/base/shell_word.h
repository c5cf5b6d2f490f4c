// The words of commands, for a user who copies them into a shell and for the system.
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// The word as a shell must read it to get these letters. Pure.
[[nodiscard]] std::string shell_word(const std::string& word);

/// The words, or the settings of an environment, as the system calls that start a program take
/// them: pointers, with a null at the end. The words must outlive it.
[[nodiscard]] std::vector<char*> argument_vector(std::vector<std::string>& words);

}  // namespace tandem
