#include <fmt/format.h>

#include "tandem/app/commands.h"
#include "tandem/io/text_table.h"
#include "tandem/systems/catalogue.h"

namespace tandem {
namespace {

void list_systems() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& system : systems()) {
    rows.push_back({system.name, fmt::format("{}. {}", system.idea, system.paper)});
  }
  fmt::print("{}", format_table(rows, terminal_width()));
}

}  // namespace

void add_systems(CLI::App& program) {
  program.add_subcommand("systems", "List the published systems to train with")
      ->callback(list_systems);
}

}  // namespace tandem
