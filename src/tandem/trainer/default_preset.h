// Chooses the preset of a training whose user names none.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/env/env.h"
#include "tandem/trainer/catalogue.h"

namespace tandem {

/// The situations for which a preset is the default, from its table [default_for]:
///
///   [default_for]
///   env = "cartpole, numbers discrete"
///   algo = "a2c, n_step_q"
///
/// `env` lists situations. Each has one or more words that must all be true of the environment: its
/// id ("atari:Pong"), its family ("atari"), or words of its kind (see kind_of). `algo` lists
/// algorithms; without it, the preset's own key `algo` names the only one. The preset's key
/// `system` names the system. Value type.
struct DefaultFor {
  std::string preset;
  std::string system;
  std::vector<std::string> algorithms = {};
  std::vector<std::vector<std::string>> situations = {};
};

/// The defaults among these presets. Throws Error for an incomplete table.
[[nodiscard]] std::vector<DefaultFor> read_defaults(std::span<const Preset> presets);

/// The kind of an environment, in words: "numbers", "images" (large enough for the convolutions of
/// Mnih et al. 2015) or "small_images"; "discrete" or "continuous" for its actions; and, if it
/// applies, "partially_observed".
[[nodiscard]] std::vector<std::string> kind_of(const EnvSpec& spec);

/// The system, the algorithm and the environment that need a preset.
struct Task {
  std::string system;
  std::string algorithm = {};  // empty: the first of the catalogue that has a default, before all
                               // one that names the environment
  std::string env_id = {};
  std::function<EnvSpec()> spec = {};  // called only if names do not decide: it may need a ROM
};

/// The most specific defaults for a task of this algorithm: one, several that compete, or an empty
/// list. A situation that names the environment is more specific than one that names its family,
/// and the latter is more specific than one of kinds alone; next, more words are more specific. A
/// partially observed environment needs a situation that says so, or one that names the environment
/// or its family, because agents without memory do not learn it.
[[nodiscard]] std::vector<std::string> most_special(std::span<const DefaultFor> defaults,
                                                    const Task& task);

/// A preset and the algorithm that it is for.
struct DefaultPreset {
  std::string name;
  std::string algorithm;
};

/// The catalogue's default for a task; empty if it has none. Throws Error for a partially observed
/// environment for which the system has no preset, and names systems that have one.
[[nodiscard]] std::optional<DefaultPreset> default_preset(const Task& task,
                                                          const Catalogue& catalogue);

}  // namespace tandem
