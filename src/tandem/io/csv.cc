#include "tandem/io/csv.h"

namespace tandem {
namespace {

std::string quoted(const std::string& word) {
  if (word.find_first_of(",\"\r\n") == std::string::npos) return word;
  std::string text = "\"";
  for (const char c : word) text.append(c == '"' ? 2 : 1, c);
  text += '"';
  return text;
}

}  // namespace

std::string csv_line(const std::vector<std::string>& words) {
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) line += ',';
    line += quoted(words[i]);
  }
  line += '\n';
  return line;
}

}  // namespace tandem
