// Makes the config of each run of an experiment from the user's settings.
#pragma once

#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/io/settings.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// A user's settings, from a command line or from a program. Safe to use from many threads once it
/// is filled.
class ConfigSource {
 public:
  virtual ~ConfigSource() = default;

  /// The user's config with more settings, which override the user's. Throws Error for a bad
  /// setting.
  [[nodiscard]] virtual Config load_with(const std::vector<Setting>& last) const = 0;

  /// Whether the user, not a preset, gave a value to this full key.
  [[nodiscard]] virtual bool sets(const std::string& key, const FieldList& fields) const = 0;
};

}  // namespace tandem
