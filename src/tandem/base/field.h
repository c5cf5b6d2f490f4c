// Config fields: each part's options are a plain struct with one list of fields. That list drives
// TOML, the command line, `tandem keys`, the resolved config of a run and its checkpoints.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem {

/// One config key and the variable that it sets. The target must outlive the field. Not
/// thread-safe: configs are filled before any thread starts.
struct Field {
  std::string key;  // "t_max" in its part, "paac.t_max" in the whole config
  /// The variable that it sets.
  std::variant<std::int64_t*, double*, bool*, std::string*> target;
  std::string meaning;      // one line, with the unit
  std::string source = {};  // where the number comes from: "PAAC, section 5.1"
  double least = -std::numeric_limits<double>::infinity();  // numbers: the least one allowed
  double most = std::numeric_limits<double>::infinity();    // numbers: the greatest one allowed
  // Texts: the words allowed; empty means any. Where "true" is among them, "true" and "false" are
  // booleans as well, in files too.
  std::vector<std::string> choices = {};
  std::string word = {};   // numbers: a word for a value out of range, "auto"; empty: no such word
  double word_value = -1;  // the value of that word
};

/// The fields of a part, in the order in which they are listed.
using FieldList = std::vector<Field>;

/// A value as a config file holds it, with its type.
using FieldValue = std::variant<std::int64_t, double, bool, std::string>;

/// Sets a field. The word of a number field sets it to its word_value. A whole number may set a
/// number field, and a number without a fraction an integer field. Throws Error for a wrong type, a
/// value out of range or not among the choices, saying what the field needs; the variable then
/// keeps its value.
void set_field(const Field& field, const FieldValue& value);

/// Sets a field from a word of the command line. Numbers may have a suffix k, M or G (thousand,
/// million, billion), an exponent, and _ between digits: "20M", "1e6", "115_000_000".
void set_field_text(const Field& field, std::string_view text);

/// The value: as a word if the field has one for it, as a boolean if a text is one.
[[nodiscard]] FieldValue field_value(const Field& field);

/// The value as a word that set_field_text takes back to the same bits.
[[nodiscard]] std::string field_text(const Field& field);
/// The word for a value without its field.
[[nodiscard]] std::string value_text(const FieldValue& value);

/// "integer", "number", "boolean" or "text".
[[nodiscard]] std::string field_type(const Field& field);

/// The allowed values in words: "1 to 64", "at least 0", "0 to 1, or auto", "nips, nature or mlp";
/// empty: anything.
[[nodiscard]] std::string field_range(const Field& field);

/// The fields with `prefix` before each key: prefixed("paac.", ...).
[[nodiscard]] FieldList prefixed(const std::string& prefix, FieldList fields);

}  // namespace tandem
