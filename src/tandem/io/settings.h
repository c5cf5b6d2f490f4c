// Values that a user gives to config keys, in TOML files and on the command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tandem/base/field.h"

namespace tandem {

/// One value for one key, not yet checked against the fields: which keys exist may depend on other
/// values (those of the table [env] on env.id). Value type.
struct Setting {
  /// Where a value comes from: a file's have types, the command line's are texts.
  enum class Origin { file, command_line };

  std::string key;    // "paac.t_max"; the command line may leave out the table if the name is
                      // unique
  FieldValue value;   // always a text if it comes from the command line
  std::string where;  // for messages: "pong.toml:12", "--set t_max=5"
  Origin origin = Origin::command_line;  // decides how `value` is read
};

/// Reads all values of a TOML file. Throws Error for an unreadable file (and names it), for invalid
/// TOML (and names the line) and for values that no field can hold (arrays, dates).
[[nodiscard]] std::vector<Setting> read_toml(const std::filesystem::path& file);

/// Reads a TOML text; `name` stands for its file in messages.
[[nodiscard]] std::vector<Setting> parse_toml(const std::string& text, const std::string& name);

/// "t_max=5" as given to `--set`. Throws Error when there is no `=`.
[[nodiscard]] Setting parse_assignment(const std::string& text);

/// The field that a setting means. Throws Error for an unknown key, and offers the nearest; also
/// for a short key that several fields share, and lists those.
[[nodiscard]] const Field& find_field(const Setting& setting, const FieldList& fields);

/// Sets that field. Throws Error, and names the place, for a bad key or value.
void apply_setting(const Setting& setting, const FieldList& fields);

/// Writes all values as a TOML file that read_toml and apply_setting load back to the same bits.
/// Above each key stands a comment with its meaning, range and source. Keys of one table must stand
/// together.
[[nodiscard]] std::string to_toml(const FieldList& fields);

}  // namespace tandem
