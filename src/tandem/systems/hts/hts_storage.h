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

/// Section 4.1: what all environments did between two synchronisations, in groups of environments
/// that depend on the config alone and never on the number of executors. Executors write while
/// nobody reads.
class HtsStorage {
 public:
  HtsStorage(const EnvSpec& spec, int alpha, int envs, int envs_per_group);

  /// An executor's rollout becomes that of the environments from `first` on. Safe from several
  /// threads, each with environments of its own.
  void write(const Rollout& played, int first);

  [[nodiscard]] std::span<Rollout> groups() { return groups_; }

  /// The activations of all samples, where actors keep them; null where learning goes forward
  /// again.
  std::unique_ptr<Activations> activations;

  /// Where environment `env` has its first sample in the activations; from one of its steps to the
  /// next it is stride_of() further. A group's samples lie together, in the order of its rollout.
  [[nodiscard]] std::int64_t place_of(int env) const;
  [[nodiscard]] std::int64_t stride_of(int env) const;

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  int envs_per_group_;
  std::vector<Rollout> groups_;
};

}  // namespace tandem
