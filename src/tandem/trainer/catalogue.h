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
  std::string name;                                  // before the colon
  std::function<std::unique_ptr<EnvFamily>()> make;  // makes it, with its default options
};

/// The lists in which the names of a config are looked up. A program may add its own entries to the
/// published catalogue, or make a catalogue of its own entries alone. Copies share the entries,
/// which are immutable. Value type.
struct Catalogue {
  std::vector<std::shared_ptr<const System>> systems;  // prototypes; the first is the default
  std::vector<std::shared_ptr<const AlgorithmEntry>> algorithms;  // prototypes
  std::vector<NamedFamily> families;  // beside the built-in ones and those of plug-ins
  std::vector<Preset> presets;        // found by their names

  /// The system of this name. Throws Error, and offers the nearest name, when there is none.
  [[nodiscard]] const System& system(const std::string& name) const;

  /// The family of an environment id: from `families`, built in, or from a plug-in. Throws Error
  /// when there is none.
  [[nodiscard]] std::unique_ptr<EnvFamily> family(const std::string& env_id) const;

  /// Throws Error when two systems, two algorithms or two families have the same name.
  void require_distinct_names() const;

  /// The setting with a paper's own words replaced by the common ones (see OwnWord).
  [[nodiscard]] Setting in_common_words(Setting setting) const;

  /// The names of the systems that train with an algorithm, in the catalogue's order.
  [[nodiscard]] std::vector<std::string> systems_for(const AlgorithmEntry& algorithm) const;
  /// The names of the algorithms that a system trains with, in the catalogue's order.
  [[nodiscard]] std::vector<std::string> algorithms_for(const System& system) const;

  /// Throws Error when the system cannot train with the algorithm. The message gives the reason and
  /// lists the systems and algorithms that fit.
  void require_fit(const System& system, const AlgorithmEntry& algorithm) const;
};

/// The catalogue of everything that tandem provides. All calls, from any thread, return the same
/// object.
[[nodiscard]] std::shared_ptr<const Catalogue> published();

}  // namespace tandem
