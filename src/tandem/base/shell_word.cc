#include "tandem/base/shell_word.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tandem {

std::string shell_word(const std::string& word) {
  const auto plain = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("_-+./:=,@%").find(letter) != std::string_view::npos;
  };
  if (std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

std::vector<char*> argument_vector(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace tandem
