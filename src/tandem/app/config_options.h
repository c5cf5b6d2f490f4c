// Command-line options that make a config.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/study/config_source.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The words of the command line. Only load() reads each by its field's type, so that all bad
/// values are reported alike. Must outlive the parsing.
class ConfigOptions final : public ConfigSource {
 public:
  /// For a command that belongs to one system, whose name users then leave out; empty: for any.
  explicit ConfigOptions(std::string system = {})
      : for_one_system_(!system.empty()), system_(std::move(system)) {}

  /// Adds SYSTEM and the options to a command. `without` lists options that the command uses
  /// otherwise, such as "--threads".
  void add_to(CLI::App& app, const std::vector<std::string>& without = {});

  /// Loads the config. Later sources win: defaults, --config or else the default preset, --set in
  /// order, the dedicated options. Throws Error.
  [[nodiscard]] Config load() const;

  /// The same with more settings, which win.
  [[nodiscard]] Config load_with(const std::vector<Setting>& last) const override;

  /// The config of an earlier run with the changes that a resumed run may have: all of run.* except
  /// the seed. Throws Error for another change, because the checkpoint belongs to the old value.
  [[nodiscard]] Config load_resumed(const std::filesystem::path& config_file) const;

  [[nodiscard]] bool has_system() const { return !system_.empty(); }

  /// Whether --set or an option of its own gives a value to this full key.
  [[nodiscard]] bool sets(const std::string& key, const FieldList& fields) const override;

  /// Whether --steps or --frames was given.
  [[nodiscard]] bool has_budget() const;

 private:
  [[nodiscard]] std::vector<Setting> file_settings() const;
  /// Either load_config or choose_config.
  using Load = std::function<Config(const std::string& system, const std::vector<Setting>&,
                                    const std::shared_ptr<const Catalogue>&)>;
  [[nodiscard]] Config load(std::vector<Setting> settings, const std::vector<Setting>& last,
                            const Load& make) const;

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
};

/// Adds --env and --set for commands that need an environment alone.
class EnvOptions {
 public:
  void add_to(CLI::App& app);
  /// Loads the config, with the measured numbers that env.normalise needs.
  [[nodiscard]] EnvConfig load() const;

 private:
  std::string env_;
  std::vector<std::string> sets_;
};

}  // namespace tandem
