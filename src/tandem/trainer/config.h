// The whole configuration of a run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tandem/algo/algorithm_entry.h"
#include "tandem/base/clone_ptr.h"
#include "tandem/base/field.h"
#include "tandem/io/settings.h"
#include "tandem/learn/optimizer.h"
#include "tandem/nn/architecture.h"
#include "tandem/run/run_config.h"
#include "tandem/systems/system.h"
#include "tandem/trainer/catalogue.h"
#include "tandem/trainer/env_config.h"

namespace tandem {

/// The whole configuration of a run, with one part for each table of the TOML file. The system and
/// the algorithms define the fields of their tables. load_config makes a config before any thread
/// starts. Value type, except that copies share the environment's options (see EnvConfig).
///
/// `algo` chooses the algorithm in every system; load_config also accepts A3C's own words for it
/// (see OwnWord). Only the table of the chosen algorithm affects the run.
struct Config {
  std::shared_ptr<const Catalogue> catalogue;        // where its names come from
  std::string system_name;                           // as in `tandem train NAME`
  std::string algo;                                  // the chosen algorithm's name
  RunConfig run;                                     // [run]
  EnvConfig env;                                     // [env]
  NetConfig net;                                     // [net]
  std::vector<ClonePtr<AlgorithmEntry>> algorithms;  // all, each with its settings
  OptimizerConfig optimizer;                         // [optimizer]
  ClonePtr<System> system;                           // with its settings
  std::string preset;  // the default preset that choose_config used; not a key of the config
  // Options that a config file has for another environment; see remove_options_of_other_env.
  std::vector<std::string> left_out;
  // Keys of which a config file has the numbers that an earlier run measured in this environment.
  std::vector<std::string> measured;

  /// The chosen algorithm.
  [[nodiscard]] AlgorithmEntry& algorithm() const;

  /// Every key of this system and algorithm under its full name. Points into this config.
  FieldList fields();

  /// The keys of the algorithms that are not chosen.
  FieldList unused_fields();

  /// The resolved config, as in a run's config.toml; load_config reads it back.
  [[nodiscard]] std::string toml() const;

  /// A copy that also has environment options of its own, so that they can be changed.
  [[nodiscard]] Config own_copy() const;
};

/// Applies the settings, in their order, over the preset SYSTEM/atari. If they choose an algorithm
/// other than that preset's, the preset algo/ALGORITHM lies between the two. Where the catalogue
/// has no such preset, the members' initial values remain. If `system` is empty, the settings may
/// name one; the default is the catalogue's first. Throws Error for an unknown system, environment
/// family or key, and for a bad value.
[[nodiscard]] Config load_config(const std::string& system, const std::vector<Setting>& given,
                                 const std::shared_ptr<const Catalogue>& catalogue = published());

/// Does the same, but over the default preset for the system, the environment and the algorithm
/// that the settings choose (see default_preset). A user who names no preset gets this config. If
/// the catalogue has no such default, the result is that of load_config.
[[nodiscard]] Config choose_config(const std::string& system, const std::vector<Setting>& given,
                                   const std::shared_ptr<const Catalogue>& catalogue = published());

/// Calls choose_config with settings in the form of `--set`: {"env.id=cartpole", "steps=20k"}.
[[nodiscard]] Config make_config(const std::string& system, const std::vector<std::string>& words,
                                 const std::shared_ptr<const Catalogue>& catalogue = published());

/// A resumed run may change its table [run], except for the seed, and env.python. Throws Error for
/// any other difference, because the checkpoint belongs to the old value.
void require_same_experiment(Config now, Config before);

/// Does the same for the settings that a checkpoint keeps of the config it was trained with, which
/// `config` from the file `config_file` must still have. Keys that the settings lack are free,
/// because an older version may have written them, and so are keys and values that this version
/// does not know.
void require_as_trained(const Config& config, const std::vector<Setting>& trained,
                        const std::filesystem::path& config_file);

}  // namespace tandem
