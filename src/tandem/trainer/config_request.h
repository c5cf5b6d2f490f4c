// The config that a user asks for: a system, a preset or a file, and settings over it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/io/settings.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The words of a user who begins a run, on a command line or in a program. The same words give the
/// same config everywhere. Value type.
struct ConfigRequest {
  std::string system;     // empty: `base` or the settings name it
  std::string base = {};  // a TOML file or the name of a preset; empty: the default preset
  std::vector<Setting> settings = {};  // override `base`; later ones win
  /// The settings of `base`, as read_base() reads them. Empty: load() reads them.
  std::optional<std::vector<Setting>> base_settings = std::nullopt;

  /// Reads base_settings if there is a `base`, for a caller that needs them more than once: a pipe
  /// gives them once. More calls do nothing. Throws Error if they cannot be read.
  void read_base();

  /// Loads the config. Settings in `last` are the program's own and override the user's; they make
  /// variations of a config, so that without any the log is told which options of `base` the
  /// environment lacks (see remove_options_of_other_env). Throws Error for a bad value, for numbers
  /// that the run of `base` has measured in another environment, and where load_config or
  /// choose_config does.
  [[nodiscard]] Config load(const std::vector<Setting>& last = {}) const;

  /// Whether a setting, not `base`, gives a value to this full key.
  [[nodiscard]] bool sets(const std::string& key, const FieldList& fields) const;
};

/// The config of an earlier run with the changes that a resumed run may have: all of run.* except
/// the seed, and the environment's options of the machine (see is_of_machine). The request has no
/// base. Throws Error for another change, because the checkpoint belongs to the old value.
[[nodiscard]] Config load_resumed(const std::filesystem::path& config_file,
                                  const ConfigRequest& changes);

}  // namespace tandem
