// Values that a user gives for config keys: from TOML files and from the command line.
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

  std::string key;    // "paac.t_max"; on the command line "t_max" will do when it is one key's
  FieldValue value;   // from the command line always a text
  std::string where;  // for messages: "pong.toml:12", "--set t_max=5"
  Origin origin = Origin::command_line;  // decides how `value` is read
};

/// All values of a TOML file. Throws Error for an unreadable file (naming it), for
/// invalid TOML (naming the line) and for values no field can hold (arrays, dates).
[[nodiscard]] std::vector<Setting> read_toml(const std::filesystem::path& file);

/// The same of a text; `name` stands for its file in messages.
[[nodiscard]] std::vector<Setting> parse_toml(const std::string& text, const std::string& name);

/// "t_max=5" as given to `--set`. Throws Error when there is no `=`.
[[nodiscard]] Setting parse_assignment(const std::string& text);

/// The field that a setting means. Throws Error for an unknown key, offering the nearest, and for
/// a short one that several keys share, listing them.
[[nodiscard]] const Field& find_field(const Setting& setting, const FieldList& fields);

/// Sets that field. Throws Error, naming the place, for a bad key or value.
void apply_setting(const Setting& setting, const FieldList& fields);

/// All values as a TOML file that read_toml and apply_setting load back to the same bits; above
/// each key a comment with its meaning, range and source. Keys of one table must stand together.
[[nodiscard]] std::string to_toml(const FieldList& fields);

}  // namespace tandem
