// The states of recurrent networks in the environments that they act in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The recurrent state of each of some environments, and whether an episode begins there. Of a
/// network without a state it holds nothing, and inputs are the observations alone. Inputs that it
/// gives are views that hold until the next call of a member. Not thread-safe.
class RecurrentState {
 public:
  /// For `envs` environments; episodes begin everywhere.
  RecurrentState(const Architecture& architecture, int envs);

  /// Episodes begin everywhere.
  void restart();

  /// An episode begins in this environment.
  void restart(int env);

  /// Inputs of environments `ids`, in this order, whose states stay as they are.
  Inputs look(std::span<const int> ids, std::span<const std::byte> observations);

  /// Makes the states after the last look() those of its environments, and so moves them on.
  void keep(std::span<const int> ids);

  /// Writes nothing where there is no state.
  void save(StateWriter& writer) const;
  /// Reads what save() wrote. Throws Error when it is of another network or number of environments.
  void load(StateReader& reader);

 private:
  std::span<float> of(int env);

  std::size_t size_;  // of one environment's
  std::vector<float> states_;
  std::vector<std::uint8_t> episode_starts_;
  std::vector<float> looked_at_;
  std::vector<std::uint8_t> starts_looked_at_;
};

}  // namespace tandem
