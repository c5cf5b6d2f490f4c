#include <fmt/format.h>

#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/io/text_table.h"
#include "tandem/systems/fit.h"
#include "tandem/trainer/catalogue.h"

namespace tandem {
namespace {

std::string yes_or_no(bool yes) { return yes ? "yes" : "-"; }

void print_systems(const Catalogue& catalogue) {
  std::vector<std::vector<std::string>> rows = {{"SYSTEM", "SAME BITS AGAIN", "WHAT IT IS"}};
  for (const auto& system : catalogue.systems) {
    const auto& info = system->info();
    rows.push_back({info.name, info.repeats, fmt::format("{}. {}", info.idea, info.paper)});
  }
  fmt::print("{}", format_table(rows, terminal_width()));
}

std::string actions_of(const AlgorithmTraits& traits) {
  if (traits.discrete && traits.continuous) return "any";
  return traits.discrete ? "discrete" : "continuous";
}

/// Prints which system fits which algorithm.
void print_fits(const Catalogue& catalogue) {
  std::vector<std::vector<std::string>> rows = {{"ALGO"}};
  for (const auto& system : catalogue.systems) rows.front().push_back(system->info().name);
  rows.front().insert(rows.front().end(), {"ACTIONS", "LSTM", "WHAT IT IS"});
  for (const auto& algorithm : catalogue.algorithms) {
    const auto& [name, idea, table, traits] = algorithm->info();
    auto& row = rows.emplace_back(std::vector{name});
    for (const auto& system : catalogue.systems) {
      row.push_back(yes_or_no(misfit(system->requirements(), traits).empty()));
    }
    row.insert(row.end(), {actions_of(traits), yes_or_no(traits.recurrent), idea});
  }
  auto& recurrent = rows.emplace_back(std::vector<std::string>{"net.lstm"});
  for (const auto& system : catalogue.systems) {
    recurrent.push_back(yes_or_no(system->requirements().recurrent));
  }
  recurrent.insert(recurrent.end(), {"", "", "agents with a recurrent state"});
  fmt::print("{}", format_table(rows, terminal_width()));
}

void list_systems() {
  const auto catalogue = published();
  print_systems(*catalogue);
  fmt::print("\nThe algorithms that each of them trains (--set algo=NAME):\n\n");
  print_fits(*catalogue);
}

}  // namespace

void add_systems(CLI::App& program) {
  auto* command = program.add_subcommand(
      "systems", "List the systems to train with, and the algorithms that fit them");
  end_help(*command, {"tandem systems"});
  command->callback(list_systems);
}

}  // namespace tandem
