// Samples in sequences, for recurrent networks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/nn/network.h"

namespace tandem {

/// Records which sample follows which (Inputs::follows), in sequences of any length, and orders the
/// samples in waves for a recurrence: the samples of a wave do not depend on each other. The
/// beginning of an episode cuts its sequence. Buffers grow when needed and are reused. Not
/// thread-safe.
class Sequences {
 public:
  [[nodiscard]] std::size_t samples() const { return before_.size(); }
  void clear();

  /// Appends the samples of a call; returns the index of their first wave. Throws std::logic_error
  /// when `follows` breaks the rules of Inputs::follows.
  std::size_t add(std::size_t batch, std::span<const std::int64_t> follows,
                  std::span<const std::uint8_t> episode_starts);

  /// A wave's samples in ascending order; the view is valid until the next add() or clear(). A
  /// sample's wave comes after that of the sample that it follows.
  [[nodiscard]] std::span<const std::size_t> wave(std::size_t index) const;
  [[nodiscard]] std::size_t waves() const { return wave_ends_.size(); }

  /// The preceding sample in the same sequence and episode, or kStartsSequence.
  [[nodiscard]] std::int64_t before(std::size_t sample) const { return before_[sample]; }

  /// The index of the sample's chain, in [0, chains()). A chain consists of the samples that
  /// gradients connect.
  [[nodiscard]] std::size_t chain(std::size_t sample) const { return chain_[sample]; }
  [[nodiscard]] std::size_t chains() const { return chains_; }

 private:
  std::int64_t checked(std::int64_t followed, std::size_t sample);
  void order(std::size_t first);

  std::vector<std::int64_t> before_;
  std::vector<std::size_t> chain_;
  std::vector<std::uint8_t> followed_;  // whether another sample follows it
  std::vector<std::size_t> depth_;  // for each sample of the latest call: how many of the call's
                                    // samples precede it in its sequence
  std::vector<std::size_t> order_;  // all samples, wave by wave
  std::vector<std::size_t> wave_ends_;  // the ends of the waves in order_
  std::vector<std::size_t> next_;       // for each new wave: the place of its next sample in order_
  std::size_t chains_ = 0;
  std::size_t latest_ = 0;  // samples of the latest call if it was one wave, otherwise 0
};

}  // namespace tandem
