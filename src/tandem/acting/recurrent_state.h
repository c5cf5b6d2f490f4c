// The states of a recurrent network, one for each environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The recurrent state of each of several environments, and a mark where an episode begins. For a
/// network without a state it holds nothing, and the inputs are the observations alone. The inputs
/// are views that are valid until the next call of a member. Not thread-safe.
class RecurrentState {
 public:
  /// For `envs` environments, in all of which an episode begins.
  RecurrentState(const Architecture& architecture, int envs);

  /// Marks the beginning of an episode in every environment.
  void restart();

  /// Marks the beginning of an episode in this environment.
  void restart(int env);

  /// The inputs of environments `ids`, in this order. Does not change their states.
  Inputs look(std::span<const int> ids, std::span<const std::byte> observations);

  /// Makes the states that the network wrote to the inputs of the last look() the states of
  /// environments `ids`, and removes the marks of their episodes' beginnings.
  void keep(std::span<const int> ids);

  /// Copies the states of all environments, [envs, state], and the marks of their episodes'
  /// beginnings, [envs]. Does nothing if the network has no state.
  void copy_to(std::span<float> states, std::span<std::uint8_t> episode_starts) const;

  /// Writes nothing if the network has no state.
  void save(StateWriter& writer) const;
  /// Restores saved states. Throws Error when their network or number of environments differs.
  void load(StateReader& reader);

 private:
  std::span<float> of(int env);

  std::size_t size_;  // the size of one environment's state
  std::vector<float> states_;
  std::vector<std::uint8_t> episode_starts_;
  std::vector<float> looked_at_;
  std::vector<std::uint8_t> starts_looked_at_;
};

}  // namespace tandem
