#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/io/text_table.h"
#include "tandem/trainer/catalogue.h"
#include "tandem/trainer/default_preset.h"

namespace tandem {
namespace {

/// A preset's situations and algorithms: "atari, numbers discrete (a2c, ppo)"; "-" if it is not a
/// default.
std::string default_text(const std::vector<DefaultFor>& defaults, const std::string& preset) {
  const auto found = std::ranges::find(defaults, preset, &DefaultFor::preset);
  if (found == defaults.end()) return "-";
  std::vector<std::string> situations;
  for (const auto& words : found->situations) {
    situations.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return fmt::format("{} ({})", fmt::join(situations, ", "), fmt::join(found->algorithms, ", "));
}

/// The first sentence of the comment at the top of a preset, up to a semicolon.
std::string about(const Preset& preset) {
  std::string text;
  for (std::size_t begin = 0; preset.toml.compare(begin, 2, "# ") == 0;) {
    const auto end = preset.toml.find('\n', begin);
    if (!text.empty()) text += ' ';
    text += preset.toml.substr(begin + 2, end - begin - 2);
    begin = end + 1;
  }
  const auto stop = std::min(text.find(". "), text.find("; "));
  return text.substr(0, stop);
}

void list_presets(const std::string& system) {
  const auto catalogue = published();
  if (!system.empty()) static_cast<void>(catalogue->system(system));
  const auto defaults = read_defaults(catalogue->presets);
  std::vector<std::vector<std::string>> rows = {{"PRESET", "DEFAULT FOR (ALGO)", "WHAT IT IS"}};
  for (const auto& preset : catalogue->presets) {
    const auto folder = preset.name.substr(0, preset.name.find('/'));
    if (folder == "algo" || (!system.empty() && folder != system)) continue;
    rows.push_back({preset.name, default_text(defaults, preset.name), about(preset)});
  }
  fmt::print("{}", format_table(rows, terminal_width()));
  fmt::print(
      "\n`tandem train SYSTEM --env ENV` begins from the most specific default for the environment "
      "and the algorithm; --config PRESET takes another.\n");
}

}  // namespace

void add_presets(CLI::App& program) {
  auto system = std::make_shared<std::string>();
  auto* command = program.add_subcommand(
      "presets", "List the presets, and for which environments they are the default");
  command->add_option("SYSTEM", *system, "Of this system alone");
  end_help(*command, {"tandem presets", "tandem presets paac"});
  command->callback([system] { list_presets(*system); });
}

}  // namespace tandem
