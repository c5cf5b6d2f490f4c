#include "tandem/app/number_check.h"

#include <cstdint>
#include <string>

#include "tandem/base/error.h"
#include "tandem/base/field.h"

namespace tandem {
namespace {

/// CLI11 reads "010" as eight, and lets "nan" pass each range.
template <class Number>
CLI::Validator number_within(double least, double most) {
  const auto field = [=](Number& number) {
    return Field{.key = "it", .target = &number, .meaning = "", .least = least, .most = most};
  };
  const auto read = [=](std::string& text) -> std::string {
    Number number{};
    try {
      set_field_text(field(number), text);
    } catch (const Error& error) {
      return error.what();
    }
    text = value_text(number);
    return "";
  };
  Number any{};
  return {read, field_range(field(any))};
}

}  // namespace

CLI::Validator whole_number(double least, double most) {
  return number_within<std::int64_t>(least, most);
}

CLI::Validator real_number(double least, double most) { return number_within<double>(least, most); }

}  // namespace tandem
