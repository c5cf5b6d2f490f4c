#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/io/json_text.h"
#include "tandem/io/text_table.h"
#include "tandem/trainer/config.h"

namespace tandem {
namespace {

struct KeysOptions {
  ConfigOptions config;
  bool json = false;
};

void print_table(const FieldList& fields) {
  constexpr std::size_t kWidestRange = 40;  // a longer one leaves no room for meanings
  std::vector<std::vector<std::string>> rows = {{"KEY", "TYPE", "DEFAULT", "RANGE", "MEANING"}};
  for (const auto& field : fields) {
    const auto source = field.source.empty() ? "" : " (" + field.source + ")";
    auto range = field_range(field);
    auto meaning = field.meaning + source;
    if (range.size() > kWidestRange) {
      meaning = std::exchange(range, "one of these") + ": " + meaning;
    }
    rows.push_back({field.key, field_type(field), field_text(field), range, meaning});
  }
  fmt::print("{}", format_table(rows, terminal_width()));
}

nlohmann::ordered_json to_json(const Field& field) {
  nlohmann::ordered_json json = {{"key", field.key}, {"type", field_type(field)}};
  std::visit([&](const auto& value) { json["default"] = value; }, field_value(field));
  if (std::isfinite(field.least)) json["least"] = field.least;
  if (std::isfinite(field.most)) json["most"] = field.most;
  if (!field.choices.empty()) json["choices"] = field.choices;
  json["meaning"] = field.meaning;
  json["source"] = field.source;
  return json;
}

void list_keys(const KeysOptions& options) {
  auto config = options.config.load();
  const auto fields = config.fields();
  if (!options.json) return print_table(fields);
  auto list = nlohmann::ordered_json::array();
  for (const auto& field : fields) list.push_back(to_json(field));
  fmt::print("{}\n", json_text(list));
}

}  // namespace

void add_keys(CLI::App& program) {
  auto options = std::make_shared<KeysOptions>();
  auto* command = program.add_subcommand(
      "keys", "List every config key: type, default, range, meaning and source");
  options->config.add_to(*command, {"--steps", "--seed", "--threads", "--device"});
  command->add_flag("--json", options->json, "Print JSON");
  end_help(*command,
           {"tandem keys paac --env atari:Pong", "tandem keys apex --set algo=dpg --env pendulum"});
  command->callback([options] { list_keys(*options); });
}

}  // namespace tandem
