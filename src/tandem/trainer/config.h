// The whole configuration of a run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/algo/a2c.h"
#include "tandem/algo/dpg.h"
#include "tandem/algo/dqn.h"
#include "tandem/algo/ppo.h"
#include "tandem/algo/q_learning.h"
#include "tandem/base/field.h"
#include "tandem/env/family.h"
#include "tandem/env/vec_env.h"
#include "tandem/io/settings.h"
#include "tandem/learn/optimizer.h"
#include "tandem/nn/architecture.h"
#include "tandem/replay/table.h"
#include "tandem/run/run_config.h"
#include "tandem/systems/a3c/a3c.h"
#include "tandem/systems/apex/apex.h"
#include "tandem/systems/ga3c/ga3c.h"
#include "tandem/systems/hts/hts.h"
#include "tandem/systems/impala/impala.h"
#include "tandem/systems/paac/paac.h"

namespace tandem {

/// The environment and the options of its family. Copies share the family, and so its options.
struct EnvConfig {
  std::string id = "atari:Pong";
  std::shared_ptr<EnvFamily> family;  // of that id; null until find_family() is called for it

  /// "id" and the family's options.
  FieldList fields();

  /// Makes environments of this id; `seed` goes to foreign emulators' own generators. Usable by
  /// several threads; shares the family.
  [[nodiscard]] EnvFactory factory(std::uint64_t seed) const;

  /// Emulated frames in a step. Makes one environment to find out.
  [[nodiscard]] std::int64_t frames_per_step() const;
};

/// One part per table of the TOML file. The defaults are those of the preset paac/atari; with
/// load_config, of the preset SYSTEM/atari. Not thread-safe; filled before any thread starts.
///
/// `algo` is the one key for what is learned, whatever the system. A3C's paper calls it a method,
/// and the advantage actor-critic "A3C" where threads run it: load_config takes `method` for the
/// key and `a3c` for a2c. Only the table of the chosen algorithm (a2c, ppo, q, dqn or dpg) takes
/// part in the run.
struct Config {
  std::string system = "paac";
  std::string algo = "a2c";
  RunConfig run;
  EnvConfig env;
  NetConfig net;
  A2cConfig a2c;
  PpoConfig ppo;
  QConfig q;
  DqnConfig dqn;
  DpgConfig dpg;
  OptimizerConfig optimizer;
  PaacConfig paac;
  A3cConfig a3c;
  Ga3cConfig ga3c;
  HtsConfig hts;
  ImpalaConfig impala;
  ApexConfig apex;
  ReplayConfig replay;

  /// Every key of this system and algorithm under its full name. Points into this config.
  FieldList fields();

  /// The keys of the algorithms that are not chosen.
  FieldList unused_fields();

  /// The table of each algorithm ("a2c.") and its keys.
  std::array<std::pair<std::string, FieldList>, 5> algorithm_fields();

  /// The resolved config, as it stands in a run directory: load_config takes it back.
  [[nodiscard]] std::string toml() const;
};

/// A setting in A3C's words for what is learned (see Config) as one of ours; others as they are.
[[nodiscard]] Setting in_our_words(Setting setting);

/// The config of the environment alone: all settings must be of env.* keys. Throws Error as
/// load_config does.
[[nodiscard]] EnvConfig load_env_config(const std::vector<Setting>& settings);

/// The defaults, changed by the settings in their order. An empty `system` means the settings' own.
/// Throws Error for an unknown system, environment family or key, and for a bad value.
[[nodiscard]] Config load_config(const std::string& system, const std::vector<Setting>& given);

/// A resumed run may have other run.* values than before, but for the seed. Throws Error for any
/// other difference: the checkpoint belongs to the old value.
void require_same_experiment(Config now, Config before);

}  // namespace tandem
