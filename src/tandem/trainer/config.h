// The whole configuration of a run.
#pragma once

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

/// The whole configuration of a run: one part for each table of the TOML file. The system and the
/// algorithms bring the fields of theirs; load_config makes a config. Value type, but for the
/// environment's options, which copies share (see EnvConfig); filled before any thread starts.
///
/// `algo` is the one key for the algorithm in every system; load_config also takes A3C's words for
/// it (see OwnWord). Only the table of the chosen algorithm takes part in the run.
struct Config {
  std::shared_ptr<const Catalogue> catalogue;        // where its names come from
  std::string system_name;                           // as in `tandem train NAME`
  std::string algo;                                  // the chosen algorithm's name
  RunConfig run;                                     // [run]
  EnvConfig env;                                     // [env]
  NetConfig net;                                     // [net]
  std::vector<ClonePtr<AlgorithmEntry>> algorithms;  // all, each with its numbers
  OptimizerConfig optimizer;                         // [optimizer]
  ClonePtr<System> system;                           // with its numbers
  std::string preset;  // the default one that choose_config took; no key of its own

  /// The chosen algorithm.
  [[nodiscard]] AlgorithmEntry& algorithm() const;

  /// Every key of this system and algorithm under its full name. Points into this config.
  FieldList fields();

  /// The keys of the algorithms that are not chosen.
  FieldList unused_fields();

  /// The resolved config, as it stands in a run directory: load_config takes it back.
  [[nodiscard]] std::string toml() const;
};

/// The system's default preset and that of the algorithm, changed by the settings in their order.
/// The default preset of a system is SYSTEM/atari, that of an algorithm algo/ALGORITHM; if the
/// catalogue has none, the structs give the numbers. If `system` is empty, the settings may name
/// one; the catalogue's first is the default. Throws Error for an unknown system, environment
/// family or key, and for a bad value.
[[nodiscard]] Config load_config(const std::string& system, const std::vector<Setting>& given,
                                 const std::shared_ptr<const Catalogue>& catalogue = published());

/// The same over the default preset for the system, the environment and the algorithm that the
/// settings choose (see default_preset). A user who names no preset gets this one. If the catalogue
/// has no default for them, the result is that of load_config.
[[nodiscard]] Config choose_config(const std::string& system, const std::vector<Setting>& given,
                                   const std::shared_ptr<const Catalogue>& catalogue = published());

/// choose_config of words as `--set` takes them: {"env.id=cartpole", "steps=20k"}.
[[nodiscard]] Config make_config(const std::string& system, const std::vector<std::string>& words,
                                 const std::shared_ptr<const Catalogue>& catalogue = published());

/// A resumed run may have other values in its table [run] than before, but for the seed. Throws
/// Error for any other difference: the checkpoint belongs to the old value.
void require_same_experiment(Config now, Config before);

}  // namespace tandem
