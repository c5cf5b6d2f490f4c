// The systems, algorithms, environments and presets that a program can train with.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tandem/algo/algorithm_entry.h"
#include "tandem/env/family.h"
#include "tandem/systems/system.h"
#include "tandem/trainer/presets.h"

namespace tandem {

/// Environments compiled into a program, by the name before the colon: "maze" of "maze:small".
/// Value type.
struct NamedFamily {
  std::string name;
  std::function<std::unique_ptr<EnvFamily>()> make;
};

/// The lists that a program trains with. It may take the published catalogue and add entries of its
/// own, or make one with nothing but its own. Copies share the entries, which are immutable. Value
/// type.
struct Catalogue {
  std::vector<std::shared_ptr<const System>> systems;
  std::vector<std::shared_ptr<const AlgorithmEntry>> algorithms;
  std::vector<NamedFamily> families;  // besides the built-in ones and those of plug-ins
  std::vector<Preset> presets;

  /// The system of this name. Throws Error, and offers the nearest name, when there is none.
  [[nodiscard]] const System& system(const std::string& name) const;

  /// The family of an environment id: one of these, a built-in one, or a plug-in's. Throws Error
  /// when there is none.
  [[nodiscard]] std::unique_ptr<EnvFamily> family(const std::string& env_id) const;

  /// A setting in the words of all configs; only papers' own words change.
  [[nodiscard]] Setting in_common_words(Setting setting) const;

  /// The names of the systems that train with an algorithm, and of the algorithms that a system
  /// trains with, in the catalogue's order.
  [[nodiscard]] std::vector<std::string> systems_for(const AlgorithmEntry& algorithm) const;
  [[nodiscard]] std::vector<std::string> algorithms_for(const System& system) const;

  /// Throws Error when the system cannot train with the algorithm: says why, and offers what fits.
  void require_fit(const System& system, const AlgorithmEntry& algorithm) const;
};

/// The catalogue of all that tandem provides: the same one at each call, from any thread.
[[nodiscard]] std::shared_ptr<const Catalogue> published();

}  // namespace tandem
