#include "tandem/app/help.h"

#include <utility>

namespace tandem {

void end_help(CLI::App& command, const std::vector<std::string>& examples, std::string text) {
  text.erase(0, text.find_first_not_of('\n'));
  if (!text.empty()) text += "\n\n";
  text += examples.size() == 1 ? "Example:" : "Examples:";
  for (const auto& example : examples) text += "\n  " + example;
  command.footer(std::move(text));
}

}  // namespace tandem
