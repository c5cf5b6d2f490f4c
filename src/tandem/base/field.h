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
  std::string source = {};  // where the default comes from: "PAAC, section 5.1"
  double least = -std::numeric_limits<double>::infinity();  // numbers: the minimum
  double most = std::numeric_limits<double>::infinity();    // numbers: the maximum
  // Texts: the allowed words; empty: any text. If "true" is one of them, TOML files hold "true" and
  // "false" as booleans.
  std::vector<std::string> choices = {};
  // Numbers: words that stand for a value, such as "auto". It may be out of range.
  std::vector<std::pair<std::string, double>> words = {};
};

/// The fields of a part, in the order in which they are listed.
using FieldList = std::vector<Field>;

/// A value as a config file holds it, with its type.
using FieldValue = std::variant<std::int64_t, double, bool, std::string>;

/// Sets the variable of a field. A number field also takes an integer, or one of its words. An
/// integer field also takes a number without a fraction. Throws Error for a wrong type, a value out
/// of range or an unknown choice; the message says what the field needs, and the variable keeps its
/// value.
void set_field(const Field& field, const FieldValue& value);

/// Sets a field from its text on the command line. Numbers may have a suffix k, M or G (thousand,
/// million, billion), an exponent, and _ between digits: "20M", "1e6", "115_000_000".
void set_field_text(const Field& field, std::string_view text);

/// The value of a field. It is a word if the variable holds that word's number, and a boolean if
/// a field with the choice "true" holds the text "true" or "false".
[[nodiscard]] FieldValue field_value(const Field& field);

/// The value of a field as a text, which set_field_text converts back to the same bits.
[[nodiscard]] std::string field_text(const Field& field);
/// The text of a value, without regard to a field.
[[nodiscard]] std::string value_text(const FieldValue& value);

/// The value of the integer field with this key. Throws std::logic_error if there is none.
[[nodiscard]] std::int64_t whole_value(const FieldList& fields, const std::string& key);

/// "integer", "number", "boolean" or "text".
[[nodiscard]] std::string field_type(const Field& field);

/// The allowed values in words: "1 to 64", "at least 0", "0 to 1, or auto", "nips, nature or mlp";
/// empty: anything.
[[nodiscard]] std::string field_range(const Field& field);

/// The fields with `prefix` before each key: prefixed("paac.", ...).
[[nodiscard]] FieldList prefixed(const std::string& prefix, FieldList fields);

}  // namespace tandem
