// The states of a recurrent network, one for each environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The recurrent state of each of several environments, and whether an episode begins there. For a
/// network without a state it holds nothing, and the inputs are the observations alone. The inputs
/// are views that hold until the next call of a member. Not thread-safe.
class RecurrentState {
 public:
  /// For `envs` environments; episodes begin everywhere.
  RecurrentState(const Architecture& architecture, int envs);

  /// Marks the beginning of an episode in every environment.
  void restart();

  /// Marks the beginning of an episode in this environment.
  void restart(int env);

  /// The inputs of environments `ids`, in this order. Their states stay as they are.
  Inputs look(std::span<const int> ids, std::span<const std::byte> observations);

  /// Stores the states that the network wrote after the last look() as those of environments `ids`.
  void keep(std::span<const int> ids);

  /// Writes nothing if the network has no state.
  void save(StateWriter& writer) const;
  /// Reads what save() wrote. Throws Error when it is of another network or number of environments.
  void load(StateReader& reader);

 private:
  std::span<float> of(int env);

  std::size_t size_;  // of one environment's state
  std::vector<float> states_;
  std::vector<std::uint8_t> episode_starts_;
  std::vector<float> looked_at_;
  std::vector<std::uint8_t> starts_looked_at_;
};

}  // namespace tandem
