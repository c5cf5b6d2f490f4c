// What a replay gives to learn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/replay/frame_codec.h"
#include "tandem/replay/transition_index.h"

namespace tandem {

/// Some transitions of a batch, as the members of SampleBatch with these names; views of it.
struct Samples {
  std::span<const std::byte> observations = {};       // S_t
  std::span<const std::byte> next_observations = {};  // S_{t+n}
  std::span<const std::int32_t> actions = {};         // A_t, discrete
  std::span<const float> controls = {};               // A_t, continuous
  std::span<const float> n_step_returns = {};         // R_{t+1} + gamma R_{t+2} + ...
  std::span<const float> discounts = {};              // of what S_{t+n} is worth
  std::span<const float> weights = {};                // of importance
  std::span<float> priorities = {};                   // to be replaced by new ones

  /// How many transitions these are.
  [[nodiscard]] std::size_t size() const { return priorities.size(); }
};

/// B transitions, in buffers that are filled again and again. Not thread-safe: one for each reader.
class SampleBatch {
 public:
  /// Room for `batch` transitions.
  SampleBatch(const FrameFormat& format, std::size_t batch);

  /// Fills all but `weights` from what was drawn, and lets go of it; `added`: of how many
  /// transitions so far. Throws Error for frames that are damaged.
  void read(std::int64_t added);

  /// Transitions [first, last).
  Samples part(std::size_t first, std::size_t last);

  std::size_t size;                           // B
  std::vector<TransitionIndex::Found> drawn;  // [B]; gone after read()
  std::vector<Key> keys;                      // [B]
  std::vector<std::byte> observations;        // S_t: [B, observation]
  std::vector<std::byte> next_observations;   // S_{t+n}: [B, observation]
  std::vector<std::int32_t> actions;          // [B]: A_t, discrete
  std::vector<float> controls;                // [B, action_dims]: A_t, continuous
  std::vector<float> n_step_returns;          // [B]: R_{t+1} + gamma R_{t+2} + ...
  std::vector<float> discounts;    // [B]: of what S_{t+n} is worth, 0 at an episode's end
  std::vector<float> weights;      // [B]: importance, at most 1
  std::vector<float> priorities;   // [B]: as they were sampled
  std::vector<std::int64_t> ages;  // [B]: transitions inserted since

 private:
  std::size_t observation_bytes_;
  std::size_t action_dims_;
  FrameCodec codec_;
};

}  // namespace tandem
