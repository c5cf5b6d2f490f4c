// Whole rollouts as a network's inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/data/rollout.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The inputs of one pass over all samples of some rollouts, rollout by rollout, each in the order
/// of its samples (step by step). For a recurrent network each environment of a rollout is a
/// sequence, which starts with the state that the actor had (R2D2's "stored state", Kapturowski et
/// al. 2019, section 3.1) and which an episode's end cuts. Buffers are reused. Not thread-safe.
class RolloutInputs {
 public:
  /// Forgets all rollouts.
  void clear();

  /// Appends a rollout, which must outlive the results of the other members.
  void add(Rollout& rollout);

  /// The inputs of all samples, for `network`. The views are valid until the next call of a member
  /// that is not const; the pass writes the new states into them.
  Inputs of(const Network& network);

  /// Makes a pass over all samples, from which `network` can go backward. Their outputs are in
  /// `heads`.
  void record(Network& network, HeadsBuffer& heads);

  /// After a pass over the inputs of of(): those of the last observation of every environment, with
  /// the states that the pass computed.
  Inputs after(const Network& network);

  /// The observations of all samples, rollout by rollout; valid until the next call of a member
  /// that is not const.
  [[nodiscard]] std::span<const std::span<const std::byte>> observations() const {
    return observations_.all();
  }

 private:
  void add_sequences(Rollout& rollout);

  std::vector<Rollout*> rollouts_;
  Pieces observations_, last_observations_;
  std::vector<float> states_, last_states_;
  std::vector<std::uint8_t> episode_starts_, last_starts_;
  std::vector<std::int64_t> follows_;
};

}  // namespace tandem
