#include "tandem/base/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "tandem/base/error.h"

namespace tandem {
namespace {

// A double holds every integer up to this one exactly.
constexpr double kLargestExact = 9007199254740992.0;

std::string number_text(double value) { return fmt::format("{}", value); }

bool in_range(const Field& field, double value) {
  return value >= field.least && value <= field.most;
}

// The part of an error message that says what a field needs, such as "an integer from 1 to 64".
std::string needs(const Field& field) {
  const auto range = field_range(field);
  if (std::holds_alternative<bool*>(field.target)) return "true or false";
  if (std::holds_alternative<std::string*>(field.target)) {
    return range.empty() ? "a text" : "one of " + range;
  }
  std::string type =
      std::holds_alternative<std::int64_t*>(field.target) ? "an integer" : "a number";
  if (range.empty()) return type;
  return range.starts_with("at ") ? type + " of " + range : type + " from " + range;
}

[[noreturn]] void refuse(const Field& field, const std::string& value) {
  throw Error(fmt::format("{} needs {}, not {}", field.key, needs(field), value));
}

// Whether an integer lies in the field's range, but was written by a number that is too large to be
// exact: with an exponent or a suffix, or with more digits than an integer has.
bool is_inexact(const Field& field, const FieldValue& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && std::trunc(*number) == *number && std::abs(*number) > kLargestExact &&
         std::isfinite(*number) && in_range(field, *number);
}

[[noreturn]] void refuse_inexact(const Field& field, const std::string& value) {
  throw Error(fmt::format(
      "{} needs {}, at most {} in digits alone and at most {:.0f} with an exponent or a suffix, "
      "not {}",
      field.key, needs(field), std::numeric_limits<std::int64_t>::max(), kLargestExact, value));
}

// A typed value as an error message shows it. Texts stand in quotes, so that "5" differs from 5.
std::string shown(const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? fmt::format("\"{}\"", *text) : value_text(value);
}

std::optional<std::int64_t> as_integer(const FieldValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || std::trunc(*number) != *number) return {};
  if (std::abs(*number) > kLargestExact) return {};
  return static_cast<std::int64_t>(*number);
}

std::optional<double> as_number(const FieldValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) return {};
  return *number;
}

bool takes_booleans(const Field& field) {
  return std::ranges::find(field.choices, "true") != field.choices.end();
}

std::optional<std::string> as_text(const Field& field, const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (!std::holds_alternative<bool>(value) || !takes_booleans(field)) return {};
  return value_text(value);
}

/// The value that a word of the field stands for; none for anything else.
std::optional<double> value_of_word(const Field& field, const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return {};
  const auto found = std::ranges::find(field.words, *text, &std::pair<std::string, double>::first);
  return found == field.words.end() ? std::nullopt : std::optional(found->second);
}

template <class T>
std::optional<T> parse_all(std::string_view text) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return {};
  return value;
}

/// The power of ten that a suffix stands for; 0 if it stands for none.
int suffix_exponent(char suffix) {
  switch (suffix) {
    case 'k':
    case 'K':
      return 3;
    case 'M':
      return 6;
    case 'G':
      return 9;
    default:
      return 0;
  }
}

std::optional<FieldValue> parse_number(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  if (digits.empty()) return {};
  if (const auto integer = parse_all<std::int64_t>(digits)) return *integer;
  if (const int exponent = suffix_exponent(digits.back()); exponent != 0) {
    digits.pop_back();
    // The parser scales, because a product of two doubles is not always whole: 4.1 * 1e6 is not.
    digits += fmt::format("e{}", exponent);
  }
  if (const auto number = parse_all<double>(digits)) return *number;
  return {};
}

}  // namespace

void set_field(const Field& field, const FieldValue& value) {
  if (auto* const* integer = std::get_if<std::int64_t*>(&field.target)) {
    if (is_inexact(field, value)) refuse_inexact(field, shown(value));
    const auto given = as_integer(value);
    if (!given || !in_range(field, static_cast<double>(*given))) refuse(field, shown(value));
    **integer = *given;
  } else if (auto* const* number = std::get_if<double*>(&field.target)) {
    if (const auto meant = value_of_word(field, value)) {
      **number = *meant;
      return;
    }
    const auto given = as_number(value);
    if (!given || !in_range(field, *given)) refuse(field, shown(value));
    **number = *given;
  } else if (auto* const* flag = std::get_if<bool*>(&field.target)) {
    const auto* given = std::get_if<bool>(&value);
    if (given == nullptr) refuse(field, shown(value));
    **flag = *given;
  } else {
    const auto given = as_text(field, value);
    if (!given) refuse(field, shown(value));
    const auto& choices = field.choices;
    const bool allowed = choices.empty() || std::ranges::find(choices, *given) != choices.end();
    if (!allowed) refuse(field, shown(value));
    *std::get<std::string*>(field.target) = *given;
  }
}

void set_field_text(const Field& field, std::string_view text) {
  if (std::holds_alternative<std::string*>(field.target)) {
    return set_field(field, std::string(text));
  }
  if (std::holds_alternative<bool*>(field.target)) {
    if (text != "true" && text != "false") refuse(field, fmt::format("\"{}\"", text));
    return set_field(field, text == "true");
  }
  if (value_of_word(field, std::string(text))) return set_field(field, std::string(text));
  const auto number = parse_number(text);
  if (!number) refuse(field, fmt::format("\"{}\"", text));
  set_field(field, *number);
}

FieldValue field_value(const Field& field) {
  const auto* const* number = std::get_if<double*>(&field.target);
  if (number != nullptr) {
    for (const auto& [word, value] : field.words) {
      if (**number == value) return word;
    }
  }
  const auto* const* text = std::get_if<std::string*>(&field.target);
  if (text != nullptr && takes_booleans(field)) {
    if (**text == "true" || **text == "false") return **text == "true";
  }
  return std::visit([](const auto* target) { return FieldValue(*target); }, field.target);
}

std::string field_text(const Field& field) { return value_text(field_value(field)); }

std::string value_text(const FieldValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return number_text(std::get<double>(value));
}

std::int64_t whole_value(const FieldList& fields, const std::string& key) {
  const auto found = std::ranges::find(fields, key, &Field::key);
  if (found == fields.end() || !std::holds_alternative<std::int64_t*>(found->target)) {
    throw std::logic_error("there is no integer field " + key);
  }
  return *std::get<std::int64_t*>(found->target);
}

std::string field_type(const Field& field) {
  constexpr const char* kTypes[] = {"integer", "number", "boolean", "text"};
  return kTypes[field.target.index()];
}

std::string field_range(const Field& field) {
  if (std::holds_alternative<bool*>(field.target)) return "true or false";
  if (std::holds_alternative<std::string*>(field.target)) {
    std::string words;
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
      if (i > 0) words += i + 1 == field.choices.size() ? " or " : ", ";
      words += field.choices[i];
    }
    return words;
  }
  const bool bounded_below = std::isfinite(field.least);
  const bool bounded_above = std::isfinite(field.most);
  const auto least = number_text(field.least);
  const auto most = number_text(field.most);
  std::string range;
  if (bounded_below && bounded_above) {
    range = fmt::format("{} to {}", least, most);
  } else if (bounded_below) {
    range = "at least " + least;
  } else if (bounded_above) {
    range = "at most " + most;
  }
  if (range.empty()) return range;
  for (const auto& [word, value] : field.words) {
    range += (word == field.words.back().first ? " or " : ", ") + word;
  }
  return range;
}

FieldList prefixed(const std::string& prefix, FieldList fields) {
  for (auto& field : fields) field.key = prefix + field.key;
  return fields;
}

}  // namespace tandem
