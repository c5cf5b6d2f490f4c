#include "tandem/study/variation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"
#include "tandem/trainer/catalogue.h"
#include "tandem/trainer/config.h"

namespace tandem {
namespace {

const std::array<std::string, 2> kDistributions = {"uniform", "log_uniform"};

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(fmt::format(
      "--vary {}: {}; it takes KEY=A,B,C or KEY=uniform(LO,HI) or KEY=log_uniform(LO,HI)", text,
      why));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (auto end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

double number(const std::string& word, const std::string& text) {
  double value = 0;
  try {
    set_field_text({.key = "a limit", .target = &value, .meaning = ""}, word);
  } catch (const Error& error) {
    refuse(text, error.what());
  }
  return value;
}

void parse_range(const std::string& name, const std::string& limits, Variation& variation) {
  const auto& text = variation.text;
  if (std::ranges::find(kDistributions, name) == kDistributions.end()) {
    const auto near = nearest(name, kDistributions);
    refuse(text, fmt::format("there is no distribution {}{}", name,
                             near.empty() ? "" : "; did you mean " + near + "?"));
  }
  const auto ends = split(limits, ',');
  if (ends.size() != 2) refuse(text, name + " needs two limits, LO,HI");
  if (variation.keys.size() > 1) refuse(text, "keys that change together need a list");
  variation.kind = name == "uniform" ? Variation::Kind::uniform : Variation::Kind::log_uniform;
  variation.low = number(ends[0], text);
  variation.high = number(ends[1], text);
  if (variation.low >= variation.high) refuse(text, "the first limit must be the lower one");
  if (variation.kind == Variation::Kind::log_uniform && variation.low <= 0) {
    refuse(text, "the limits of log_uniform must be above 0");
  }
}

void parse_list(const std::string& words, Variation& variation) {
  const auto count = variation.keys.size();
  for (const auto& word : split(words, ',')) {
    // With a single key, a + belongs to a number such as 1e+5.
    auto parts = count > 1 ? split(word, '+') : std::vector{word};
    if (parts.size() != count) {
      refuse(variation.text, fmt::format("\"{}\" must be {} values, one for each key, with a + "
                                         "between them",
                                         word, count));
    }
    if (std::ranges::count(parts, "") > 0) refuse(variation.text, "a value is missing");
    if (std::ranges::count(variation.values, parts) > 0) {
      refuse(variation.text, fmt::format("\"{}\" is there twice", word));
    }
    variation.values.push_back(std::move(parts));
  }
}

}  // namespace

Variation parse_variation(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse(text, "there is no KEY=");
  Variation variation{.keys = split(text.substr(0, equals), '+'), .text = text};
  const auto words = text.substr(equals + 1);
  const auto open = words.find('(');
  if (open != std::string::npos && words.ends_with(')')) {
    parse_range(words.substr(0, open), words.substr(open + 1, words.size() - open - 2), variation);
  } else {
    parse_list(words, variation);
  }
  return variation;
}

Variation with_full_keys(Variation variation, const FieldList& fields) {
  for (auto& key : variation.keys) {
    const auto& field = find_field(
        published()->in_common_words({key, std::string(), "--vary " + variation.text}), fields);
    const bool is_number = std::holds_alternative<double*>(field.target) ||
                           std::holds_alternative<std::int64_t*>(field.target);
    if (variation.is_range() && !is_number) {
      refuse(variation.text, field.key + " holds no number and needs a list");
    }
    key = field.key;
  }
  return variation;
}

std::string draw(const Variation& range, bool whole, Stream& stream) {
  const double share = stream.uniform();
  const double value = range.kind == Variation::Kind::uniform
                           ? range.low + share * (range.high - range.low)
                           : range.low * std::pow(range.high / range.low, share);
  if (whole) return fmt::format("{:.0f}", std::round(value));
  // Four digits are short enough to read and type; rounding must not leave the range.
  const double rounded = std::stod(fmt::format("{:.4g}", value));
  return fmt::format("{}", std::clamp(rounded, range.low, range.high));
}

std::string to_text(const Variation& variation) {
  const auto keys = fmt::format("{}", fmt::join(variation.keys, "+"));
  if (variation.is_range()) {
    const bool uniform = variation.kind == Variation::Kind::uniform;
    return fmt::format("{}={}({},{})", keys, kDistributions[uniform ? 0 : 1], variation.low,
                       variation.high);
  }
  std::vector<std::string> words;
  for (const auto& value : variation.values) {
    words.push_back(fmt::format("{}", fmt::join(value, "+")));
  }
  return fmt::format("{}={}", keys, fmt::join(words, ","));
}

}  // namespace tandem
