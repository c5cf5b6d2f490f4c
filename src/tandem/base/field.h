// Config fields: each part's options are a plain struct with one list of fields. That list drives
// TOML, the command line, `tandem keys`, the resolved config of a run and its checkpoints.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace tandem {

/// One config key and the variable it sets. The target must outlive the field. Not thread-safe:
/// configs are filled before any thread starts.
struct Field {
  std::string key;  // "t_max" in its part, "paac.t_max" in the whole config
  std::variant<std::int64_t*, double*, bool*, std::string*> target;
  std::string meaning;                // one line, with the unit
  std::string source = {};            // where the number comes from: "PAAC, section 5.1"
  double least = -std::numeric_limits<double>::infinity();  // numbers: inclusive range
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  // strings: the words allowed; empty means any
};

using FieldList = std::vector<Field>;

}  // namespace tandem
