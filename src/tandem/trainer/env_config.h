// The environment of a run, as its config describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/env/family.h"
#include "tandem/env/vec_env.h"
#include "tandem/io/settings.h"

namespace tandem {

struct Catalogue;
struct ObservationScale;

/// The environment and the options of its family. Copies share the family and hence its options.
struct EnvConfig {
  std::string id = "atari:Pong";  // as `tandem envs` lists them
  // How to scale each number of an observation: "false", not at all; "true", by numbers measured
  // before training (see make_normalised); "running", by statistics among the network's parameters
  // (see input_statistics.h); "auto", which measured() turns into "true" if a frame is a list of
  // numbers, else into "false".
  std::string normalise = "false";
  /// The means of the numbers of a frame, separated by spaces; empty: not measured yet.
  std::string observation_mean;
  /// Their deviations, in the same form.
  std::string observation_deviation;
  bool normalise_rewards = false;     // whether agents learn from rewards scaled by RewardScale
  std::shared_ptr<EnvFamily> family;  // of `id`; null until a config is loaded

  /// "id", the keys that any environment has, and the family's options.
  FieldList fields();

  /// Makes environments of this id. Foreign emulators seed their own generators from `seed` and the
  /// environment's index. The factory shares the family, and several threads may use it. Throws
  /// Error for a bad observation_mean or observation_deviation, and std::logic_error while
  /// lacks_scale().
  [[nodiscard]] EnvFactory factory(std::uint64_t seed) const;

  /// The same with one seed for each environment: environment i behaves as the first one does under
  /// factory(seeds[i]).
  [[nodiscard]] EnvFactory factory(const std::vector<std::uint64_t>& seeds) const;

  /// The spec of its environments. Makes one environment to find out.
  [[nodiscard]] EnvSpec spec() const;

  /// Whether the agent's network normalises observations by running statistics.
  [[nodiscard]] bool has_running_statistics() const { return normalise == "running"; }
  /// The scale of normalised observations; null if they are not normalised. Throws as factory()
  /// does.
  [[nodiscard]] std::shared_ptr<const ObservationScale> scale() const;

  /// Whether normalise is still "auto", or needs means and deviations that are not measured yet.
  [[nodiscard]] bool lacks_scale() const;

  /// Sets observation_mean and observation_deviation, with enough digits to restore the same bits.
  void set_scale(const ObservationScale& scale);

  /// Emulated frames in a step. Makes one environment to find out.
  [[nodiscard]] std::int64_t frames_per_step() const;

 private:
  [[nodiscard]] EnvFactory factory(const std::function<std::uint64_t(int index)>& seed_of) const;
};

/// Whether an option of environments, without "env.", tells of the machine alone: which Python, how
/// many processes, how long to wait, or in which folder (env.rom_dir, env.doom_dir, ...) things
/// lie. No game depends on it.
[[nodiscard]] bool is_of_machine(std::string_view option);

/// The environment that the settings choose, with its default options. Throws Error when no family
/// has that id.
[[nodiscard]] EnvConfig choose_env(const std::vector<Setting>& settings,
                                   const Catalogue& catalogue);

/// Does the same and applies the settings of env.*. Ignores other settings and bad values, because
/// load_config refuses them.
[[nodiscard]] EnvConfig choose_env_with_options(const std::vector<Setting>& settings,
                                                const Catalogue& catalogue);

/// The config of an environment alone. All settings must belong to the table [env]. Throws Error as
/// load_config does, and for normalisations that only the training of an agent has.
[[nodiscard]] EnvConfig load_env_config(const std::vector<Setting>& settings,
                                        const Catalogue& catalogue);

/// Removes from `settings` the options env.* that a file has for an environment of another family
/// and that `chosen` lacks, and returns their keys. So a preset for Atari serves --env catch. Other
/// unknown options stay, because they are mistakes; where the plug-in of the other family is not
/// there, none can be told from its options, and all go.
[[nodiscard]] std::vector<std::string> remove_options_of_other_env(std::vector<Setting>& settings,
                                                                   EnvConfig& chosen,
                                                                   const Catalogue& catalogue);

/// Applies a setting, with a hint if its key looks like an option of another environment.
void apply_with_env_hint(const Setting& setting, const FieldList& fields,
                         const std::string& env_id);

/// Applies the settings of one key alone. Call it before applying the others: their keys may depend
/// on this value.
void apply_first(const Field& field, const std::vector<Setting>& settings);

}  // namespace tandem
