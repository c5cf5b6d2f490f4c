// One of HTS-RL's two data storages.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/data/rollout.h"
#include "tandem/nn/activation_recorder.h"

namespace tandem {

/// Section 4.1: the experience of all environments between two synchronisations, in groups of
/// environments. Here each agent of an environment counts as one. The groups depend on the config
/// alone and never on the number of executors. Executors may write only while no thread reads.
class HtsStorage {
 public:
  HtsStorage(const EnvSpec& spec, int alpha, int envs, int envs_per_group);

  /// Copies an executor's rollout to the environments from `first` on. Safe from several threads
  /// that write different environments.
  void write(const Rollout& played, int first);

  [[nodiscard]] std::span<Rollout> groups() { return groups_; }

  /// The activations of all samples, if actors keep them; null if learning makes a forward pass of
  /// its own.
  std::unique_ptr<Activations> activations;

  /// The place of environment `env`'s first sample in the activations; the sample of each further
  /// step is stride_of() places after the one before. A group's samples lie together, in the order
  /// of its rollout.
  [[nodiscard]] std::int64_t place_of(int env) const;
  [[nodiscard]] std::int64_t stride_of(int env) const;

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  int envs_per_group_;
  std::vector<Rollout> groups_;
};

}  // namespace tandem
