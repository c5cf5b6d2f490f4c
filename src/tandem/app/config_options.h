// Command-line options that make a config.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/io/settings.h"
#include "tandem/study/config_source.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"
#include "tandem/trainer/config.h"
#include "tandem/trainer/config_request.h"

namespace tandem {

/// The number in the text of an option such as --steps: 20M, 5k and 1e6 are numbers, too. Throws
/// Error, which names the option, unless it is a whole number from 1 to 1e15.
std::int64_t parse_count(const std::string& option, const std::string& text);

/// Adds the option --set, which may be said again. `sets` must outlive the parsing of the command
/// line.
void add_sets(CLI::App& app, std::vector<std::string>& sets, const std::string& meaning);

/// The settings of --set. Throws Error for a text that is not KEY=VALUE.
[[nodiscard]] std::vector<Setting> parse_sets(const std::vector<std::string>& sets);

/// The options SYSTEM, --config, --set and so on. They stay texts until load() reads each by its
/// field's type, so all bad values are reported in the same way. Must outlive the parsing of the
/// command line.
class ConfigOptions final : public ConfigSource {
 public:
  /// With a `system`, the command belongs to that system, and users leave its name out. Without,
  /// they choose any system.
  explicit ConfigOptions(std::string system = {})
      : for_one_system_(!system.empty()), system_(std::move(system)) {}

  /// Adds SYSTEM and the options to a command. `without` lists options to leave out, such as
  /// "--threads".
  void add_to(CLI::App& app, const std::vector<std::string>& without = {});

  /// Loads the config. Later sources win: defaults, --config or else the default preset, --set in
  /// order, the dedicated options. Throws Error for a bad option.
  [[nodiscard]] Config load() const;

  /// Does the same with more settings, which override all others.
  [[nodiscard]] Config load_with(const std::vector<Setting>& last) const override;

  /// Does the same for this system, when the user named none.
  [[nodiscard]] Config load_for(const std::string& system, const std::vector<Setting>& last) const;

  /// The config of an earlier run with the changes that a resumed run may have, as load_resumed()
  /// of config_request.h.
  [[nodiscard]] Config load_resumed(const std::filesystem::path& config_file) const;

  /// The same options for another program: "system", "config", and "settings" as pairs of a key and
  /// a text, with frames as steps. `resumed` is the config file of the run that goes on, if one
  /// does. Throws Error for a --config that the other program could not read again.
  [[nodiscard]] nlohmann::ordered_json json(const std::filesystem::path& resumed = {}) const;

  [[nodiscard]] bool has_system() const { return !system_.empty(); }

  /// Whether --set or a dedicated option gives a value to this full key.
  [[nodiscard]] bool sets(const std::string& key, const FieldList& fields) const override;

  /// Whether --steps or --frames was given.
  [[nodiscard]] bool has_budget() const;

 private:
  /// The words of the user; a dedicated option overrides --set.
  [[nodiscard]] ConfigRequest request() const;
  /// The settings of --config, which is read once: some commands load many configs, and a pipe
  /// gives its text only once.
  [[nodiscard]] std::vector<Setting> base_settings() const;
  [[nodiscard]] Config load(ConfigRequest request, const std::vector<Setting>& last) const;
  [[nodiscard]] Config with_frames(Config config) const;

  struct Flag {
    std::string name;  // "--steps"
    std::string key;   // "run.steps"
    std::string text = {};
  };

  bool for_one_system_;
  std::string system_;
  std::string config_;
  std::vector<std::string> sets_;
  std::vector<Flag> flags_;
  std::string frames_;
  mutable Mutex mutex_;
  mutable std::optional<std::vector<Setting>> base_settings_ TANDEM_GUARDED_BY(mutex_);
};

/// The options --env and --set of a command that needs nothing but an environment. Must outlive the
/// parsing of the command line.
class EnvOptions {
 public:
  void add_to(CLI::App& app);
  /// Loads the config, with the means and deviations that env.normalise needs.
  [[nodiscard]] EnvConfig load() const;

 private:
  std::string env_;
  std::vector<std::string> sets_;
};

}  // namespace tandem
