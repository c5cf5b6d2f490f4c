// Values that a user gives to config keys, in TOML files and on the command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tandem/base/field.h"

namespace tandem {

/// One value for one key, not yet checked against the fields. The valid keys may depend on other
/// values: env.id determines the keys of the table [env]. Value type.
struct Setting {
  /// The source of a value. Values of a file have types; values of the command line are texts.
  enum class Origin { file, command_line };

  std::string key;    // "paac.t_max"; the command line may leave out the table if the name is
                      // unique
  FieldValue value;   // always a text if it comes from the command line
  std::string where;  // for messages: "pong.toml:12", "--set t_max=5"
  Origin origin = Origin::command_line;  // determines how `value` is parsed
};

/// Reads all values of a TOML file. Throws Error for an unreadable file (and names it), for invalid
/// TOML (and names the line) and for values that no field can hold (arrays, dates).
[[nodiscard]] std::vector<Setting> read_toml(const std::filesystem::path& file);

/// Reads a TOML text; `name` stands for its file in messages.
[[nodiscard]] std::vector<Setting> parse_toml(const std::string& text, const std::string& name);

/// Parses the argument of `--set`, such as "t_max=5". Throws Error when there is no `=`.
[[nodiscard]] Setting parse_assignment(const std::string& text);

/// The field that a setting means. Throws Error for an unknown key, with the nearest known one, and
/// for a short key that several fields share, with their full keys.
[[nodiscard]] const Field& find_field(const Setting& setting, const FieldList& fields);

/// Sets the field that a setting means. Throws Error for a bad key or value, with its place.
void apply_setting(const Setting& setting, const FieldList& fields);

/// Writes all values as a TOML file that read_toml and apply_setting load back to the same bits.
/// Above each key stands a comment with its meaning, range and source. In `fields` the keys of a
/// table must be neighbours.
[[nodiscard]] std::string to_toml(const FieldList& fields);

}  // namespace tandem
