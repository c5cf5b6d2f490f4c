// One of HTS-RL's two data storages.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/data/rollout.h"
#include "tandem/nn/activation_recorder.h"
#include "tandem/systems/hts/hts_shape.h"

namespace tandem {

/// Section 4.1: the experience of all environments between two synchronisations, in groups of
/// environments. The groups depend on the config alone and never on the number of executors.
/// Executors may write only while no thread reads.
class HtsStorage {
 public:
  /// `state_size` is that of the network (Architecture::state_size()).
  HtsStorage(const EnvSpec& spec, const HtsShape& shape, std::int64_t state_size);

  /// Copies an executor's rollout number `rollout` since the synchronisation to the environments
  /// from `first` on. Safe from several threads that write different environments.
  void write(const Rollout& played, int rollout, int first);

  /// All rollouts, update by update, in each group by group, and in each one after another.
  [[nodiscard]] std::span<Rollout> all() { return rollouts_; }

  /// The rollouts of an update, group by group.
  [[nodiscard]] std::span<Rollout> of_update(int update);

  /// The rollouts of a group in an update, one after another.
  [[nodiscard]] std::span<Rollout> of_group(int update, int group);

  /// The activations of all samples, if actors keep them; null if learning makes a forward pass of
  /// its own.
  std::unique_ptr<Activations> activations;

  /// The place in the activations of the first sample of environment `env` in this rollout; the
  /// sample of each further step is stride_of() places after the one before. The samples of a group
  /// in an update lie together, rollout by rollout, each in the order of its samples.
  [[nodiscard]] std::int64_t place_of(int rollout, int env) const;
  [[nodiscard]] std::int64_t stride_of(int env) const;

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  [[nodiscard]] std::size_t index_of(int update, int group, int rollout) const;

  HtsShape shape_;
  std::vector<Rollout> rollouts_;
};

}  // namespace tandem
