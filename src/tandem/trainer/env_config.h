// The environment of a run, as its config describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/env/family.h"
#include "tandem/env/vec_env.h"
#include "tandem/io/settings.h"

namespace tandem {

struct Catalogue;
struct ObservationScale;

/// The environment and the options of its family. Copies share the family, and so its options.
struct EnvConfig {
  std::string id = "atari:Pong";  // as `tandem envs` lists them
  // Each number of an observation, as make_normalised does: "true", "false", or "auto", which is
  // still to become true where the environment shows numbers and false where it shows pictures.
  std::string normalise = "false";
  // The mean of each number of a frame, separated by spaces; empty: still to be measured.
  std::string observation_mean;
  /// The deviation of each number of a frame, likewise.
  std::string observation_deviation;
  std::shared_ptr<EnvFamily> family;  // of that id; null until a config is loaded

  /// "id", the keys that any environment has, and the family's options.
  FieldList fields();

  /// Makes environments of this id; foreign emulators seed their own generators with `seed`. Usable
  /// by several threads; shares the family. Throws Error for a bad observation_mean or
  /// observation_deviation, and std::logic_error while they are not measured or normalise is still
  /// "auto".
  [[nodiscard]] EnvFactory factory(std::uint64_t seed) const;

  /// The spec of its environments. Makes one to find out.
  [[nodiscard]] EnvSpec spec() const;

  /// Whether the numbers that normalise needs are not measured yet, or normalise is still "auto".
  [[nodiscard]] bool lacks_scale() const;

  /// Writes the numbers with enough digits to be read back to the same bits.
  void set_scale(const ObservationScale& scale);

  /// Emulated frames in a step. Makes one environment to find out.
  [[nodiscard]] std::int64_t frames_per_step() const;
};

/// The environment that the settings choose, with its default options. Throws Error when there is
/// none of that id.
[[nodiscard]] EnvConfig choose_env(const std::vector<Setting>& settings,
                                   const Catalogue& catalogue);

/// The same with those options that the settings give values to; it ignores other settings and bad
/// values, which load_config refuses.
[[nodiscard]] EnvConfig choose_env_with_options(const std::vector<Setting>& settings,
                                                const Catalogue& catalogue);

/// The config of the environment alone: all settings must be of the table [env]. Throws Error as
/// load_config does.
[[nodiscard]] EnvConfig load_env_config(const std::vector<Setting>& settings,
                                        const Catalogue& catalogue);

/// Applies a setting, with a hint if its key looks like an option of another environment.
void apply_with_env_hint(const Setting& setting, const FieldList& fields,
                         const std::string& env_id);

/// Applies the settings of one key before all others, because their keys may depend on its value.
void apply_first(const Field& field, const std::vector<Setting>& settings);

}  // namespace tandem
