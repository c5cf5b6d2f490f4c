// What a sweep varies, as --vary says it.
#pragma once

#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/base/random.h"

namespace tandem {

/// Either a list, whose values each make runs of their own, or a range from which each run draws a
/// value. Value type.
struct Variation {
  enum class Kind { list, uniform, log_uniform };

  std::vector<std::string> keys;  // more than one in a list whose values are of several keys
  Kind kind = Kind::list;
  std::vector<std::vector<std::string>> values = {};  // of a list: each one text per key
  double low = 0;                                     // of a range
  double high = 0;
  std::string text = {};  // as the user wrote it

  [[nodiscard]] bool is_range() const { return kind != Kind::list; }
};

/// Takes `KEY=A,B,C`, `KEY+KEY=A+B,C+D` (keys that change together), `KEY=uniform(LO,HI)` and
/// `KEY=log_uniform(LO,HI)`. Throws Error for all else, saying what is wrong.
[[nodiscard]] Variation parse_variation(const std::string& text);

/// The same with full keys ("lr" becomes "optimizer.lr"). Throws Error for a key that is not among
/// the fields, and for a range of a key that holds no number.
[[nodiscard]] Variation with_full_keys(Variation variation, const FieldList& fields);

/// A value from a range, rounded to four digits, or to a whole number when `whole`. Equal streams
/// give equal values.
[[nodiscard]] std::string draw(const Variation& range, bool whole, Stream& stream);

/// As parse_variation() takes it.
[[nodiscard]] std::string to_text(const Variation& variation);

}  // namespace tandem
