// Batches of replayed transitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/replay/frame_codec.h"
#include "tandem/replay/transition_index.h"

namespace tandem {

/// Views of some transitions of a batch, with the names of SampleBatch's members.
struct Samples {
  std::span<const std::byte> observations = {};       // S_t
  std::span<const std::byte> next_observations = {};  // S_{t+n}
  std::span<const std::int32_t> actions = {};         // A_t, discrete
  std::span<const float> controls = {};               // A_t, continuous
  std::span<const float> n_step_returns = {};         // R_{t+1} + gamma R_{t+2} + ...
  std::span<const float> discounts = {};              // factors of the values of S_{t+n}
  std::span<const float> weights = {};                // importance weights
  std::span<float> priorities = {};                   // overwritten by the new priorities

  /// The number of transitions.
  [[nodiscard]] std::size_t size() const { return priorities.size(); }
};

/// B transitions, in buffers that are reused. Not thread-safe; each reader has its own.
class SampleBatch {
 public:
  /// Reserves memory for `batch` transitions.
  SampleBatch(const FrameFormat& format, std::size_t batch);

  /// Fills all members but `weights` from the drawn transitions, and releases their segments.
  /// `added` is the number of transitions inserted so far. Throws Error for damaged frames.
  void read(std::int64_t added) { read(0, size, added); }

  /// The same for transitions [first, last).
  void read(std::size_t first, std::size_t last, std::int64_t added);

  /// Sets `weights` to (1 / (N P(i)))^beta, divided by the largest of the batch, from the
  /// probabilities P of the drawn transitions: Schaul et al. 2016, section 3.4.
  void weigh(double beta);

  /// Transitions [first, last).
  Samples part(std::size_t first, std::size_t last);

  std::size_t size;                           // B
  std::vector<TransitionIndex::Found> drawn;  // [B]; without segments after read()
  std::vector<Key> keys;                      // [B]
  std::vector<std::byte> observations;        // S_t: [B, observation]
  std::vector<std::byte> next_observations;   // S_{t+n}: [B, observation]
  std::vector<std::int32_t> actions;          // [B]: A_t, discrete
  std::vector<float> controls;                // [B, action_dims]: A_t, continuous
  std::vector<float> n_step_returns;          // [B]: R_{t+1} + gamma R_{t+2} + ...
  std::vector<float> discounts;  // [B]: factor of the value of S_{t+n}; 0 if the episode terminated
  std::vector<float> weights;    // [B]: importance weights, at most 1
  std::vector<float> priorities;   // [B]: at the time of sampling
  std::vector<std::int64_t> ages;  // [B]: transitions inserted since this one

 private:
  std::size_t observation_bytes_;
  std::size_t action_dims_;
  FrameCodec codec_;
};

}  // namespace tandem
