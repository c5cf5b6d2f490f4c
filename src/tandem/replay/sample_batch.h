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
  std::span<const std::byte> observations = {};
  std::span<const std::byte> next_observations = {};
  std::span<const std::int32_t> actions = {};
  std::span<const float> controls = {};
  std::span<const float> n_step_returns = {};
  std::span<const float> discounts = {};
  std::span<const float> weights = {};
  std::span<float> priorities = {};  // to be replaced by new ones

  [[nodiscard]] std::size_t size() const { return priorities.size(); }
};

/// B transitions, in buffers that are filled again and again. Not thread-safe: one for each reader.
class SampleBatch {
 public:
  SampleBatch(const FrameFormat& format, std::size_t batch);

  /// Fills all but `weights` from what was drawn, and lets go of it; `added`: of how many
  /// transitions so far. Throws Error for frames that are damaged.
  void read(std::int64_t added);

  /// Transitions [first, last).
  Samples part(std::size_t first, std::size_t last);

  std::size_t size;                           // B
  std::vector<TransitionIndex::Found> drawn;  // [B]; gone after read()
  std::vector<Key> keys;                      // [B]
  std::vector<std::byte> observations;        // [B, observation]: S_t
  std::vector<std::byte> next_observations;   // [B, observation]: S_{t+n}
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
