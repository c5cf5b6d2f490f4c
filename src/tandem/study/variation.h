// A variation of a sweep, as --vary describes it.
#pragma once

#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/base/random.h"

namespace tandem {

/// Either a list or a range. Each value of a list gives runs of its own; from a range, each
/// repetition of the runs draws a value. Value type.
struct Variation {
  enum class Kind { list, uniform, log_uniform };

  std::vector<std::string> keys;  // several: they change together
  Kind kind = Kind::list;
  std::vector<std::vector<std::string>> values = {};  // of a list; each has a text for every key
  double low = 0;                                     // of a range
  double high = 0;
  std::string text = {};  // as the user wrote it

  [[nodiscard]] bool is_range() const { return kind != Kind::list; }
};

/// Parses `KEY=A,B,C`, `KEY+KEY=A+B,C+D` (keys that change together), `KEY=uniform(LO,HI)` and
/// `KEY=log_uniform(LO,HI)`. Throws Error for anything else, and says what is wrong.
[[nodiscard]] Variation parse_variation(const std::string& text);

/// The variation with full keys ("lr" becomes "optimizer.lr"). Throws Error for a key that is not
/// among the fields, and for a range over a key that holds no number.
[[nodiscard]] Variation with_full_keys(Variation variation, const FieldList& fields);

/// A value from a range, rounded to four digits, or to a whole number when `whole`. Equal streams
/// give equal values.
[[nodiscard]] std::string draw(const Variation& range, bool whole, Stream& stream);

/// The variation as a text that parse_variation() reads back.
[[nodiscard]] std::string to_text(const Variation& variation);

}  // namespace tandem
