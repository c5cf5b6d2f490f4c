// The values of a config by their full keys.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <variant>

#include "tandem/trainer/config.h"

namespace tandem {

/// The value of this key as a T: std::int64_t, double, bool or std::string. Throws
/// std::logic_error where there is no such key.
template <class T = std::int64_t>
T value_of(Config config, const std::string& key) {
  const auto fields = config.fields();
  const auto found = std::ranges::find(fields, key, &Field::key);
  if (found == fields.end()) throw std::logic_error("no key " + key);
  return std::get<T>(field_value(*found));
}

}  // namespace tandem
