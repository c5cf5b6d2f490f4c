// Presets choose themselves: which one a training begins from when its user names none.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/env/env.h"
#include "tandem/trainer/catalogue.h"

namespace tandem {

/// What a preset is the default for, as its table [default_for] says:
///
///   [default_for]
///   env = "cartpole, numbers discrete"
///   algo = "a2c, n_step_q"
///
/// `env` lists situations, and each is one or more words that must all be true of the environment:
/// its id ("atari:Pong"), its family ("atari"), or words of its kind (see kind_of). `algo` lists
/// algorithms; without it, the preset's own key `algo` names the only one. The system is the
/// preset's own. Value type.
struct DefaultFor {
  std::string preset;
  std::string system;
  std::vector<std::string> algorithms = {};
  std::vector<std::vector<std::string>> situations = {};
};

/// Of those presets that are a default. Throws Error for a table that is incomplete.
[[nodiscard]] std::vector<DefaultFor> read_defaults(std::span<const Preset> presets);

/// The kind of an environment, in words: "numbers", "images" (large enough for the convolutions of
/// Mnih et al. 2015) or "small_images"; "discrete" or "continuous" actions; and
/// "partially_observed" where that is so.
[[nodiscard]] std::vector<std::string> kind_of(const EnvSpec& spec);

/// What a training begins from.
struct Task {
  std::string system;
  std::string algorithm = {};  // empty: the first of the catalogue for which there is a default
  std::string env_id = {};
  std::function<EnvSpec()> spec = {};  // asked only where names do not decide: it may need a ROM
};

/// The defaults for a task of this algorithm that are the most special: one, none, or more where
/// presets compete. A situation that names the environment is more special than one that names its
/// family, and that more than one of kinds alone; after that the one with more words is. A
/// partially observed environment needs a situation that says so or that names it: numbers of
/// agents without memory do not learn it.
[[nodiscard]] std::vector<std::string> most_special(std::span<const DefaultFor> defaults,
                                                    const Task& task);

/// A preset and the algorithm that it is for.
struct DefaultPreset {
  std::string name;
  std::string algorithm;
};

/// The catalogue's default for a task; nothing where it has none. Throws Error for a partially
/// observed environment that no preset of the system learns, naming systems that have one.
[[nodiscard]] std::optional<DefaultPreset> default_preset(const Task& task,
                                                          const Catalogue& catalogue);

}  // namespace tandem
