// The settings from which an experiment makes the config of each of its runs.
#pragma once

#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/io/settings.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// A user's settings, whether they come from a command line or from a program. Safe to use from
/// many threads once it is filled.
class ConfigSource {
 public:
  virtual ~ConfigSource() = default;

  /// The user's config with more settings, which win. Throws Error for a bad one.
  [[nodiscard]] virtual Config load_with(const std::vector<Setting>& last) const = 0;

  /// Whether the user gave a value to this full key, other than by a preset.
  [[nodiscard]] virtual bool sets(const std::string& key, const FieldList& fields) const = 0;
};

}  // namespace tandem
