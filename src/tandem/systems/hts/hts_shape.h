// The sizes of HTS-RL's experience.
#pragma once

#include <cstdint>

#include "tandem/systems/hts/hts_config.h"

namespace tandem {

/// How the experience between two synchronisations is divided: into updates, and each update into
/// rollouts of groups of environments. Here each agent of an environment counts as one. Value type.
struct HtsShape {
  /// Throws Error when hts.alpha does not consist of whole rollouts, or when the updates cannot
  /// share these equally.
  static HtsShape of(const HtsConfig& config, std::int64_t agents);

  int steps = 1;           // of a rollout
  int rollouts = 1;        // of each environment between two synchronisations
  int updates = 1;         // between two synchronisations
  int envs = 1;            // environments
  int envs_per_group = 1;  // environments that share a gradient computation

  /// Groups of environments.
  [[nodiscard]] int groups() const { return (envs + envs_per_group - 1) / envs_per_group; }
  /// Rollouts of each environment that one update learns from.
  [[nodiscard]] int rollouts_each() const { return rollouts / updates; }
  /// Samples of one update.
  [[nodiscard]] std::int64_t samples_each() const {
    return std::int64_t{envs} * rollouts_each() * steps;
  }
  /// Samples between two synchronisations.
  [[nodiscard]] std::int64_t samples() const { return samples_each() * updates; }
};

}  // namespace tandem
