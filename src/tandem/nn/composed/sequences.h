// Samples in sequences, for recurrent networks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/nn/network.h"

namespace tandem {

/// Records which sample follows which (Inputs::follows), in sequences of any lengths, and orders
/// them for a recurrence: in waves, each of samples that do not depend on each other. The beginning
/// of an episode cuts its sequence. Buffers grow when needed and are kept. Not thread-safe.
class Sequences {
 public:
  [[nodiscard]] std::size_t samples() const { return before_.size(); }
  void clear();

  /// Appends the samples of a call; returns the first of its waves. Throws std::logic_error when
  /// `follows` breaks the rules of Inputs::follows.
  std::size_t add(std::size_t batch, std::span<const std::int64_t> follows,
                  std::span<const std::uint8_t> episode_starts);

  /// A wave's samples, ascending; a view that holds until the next add() or clear(). A sample's
  /// wave comes after that of the sample that it follows.
  [[nodiscard]] std::span<const std::size_t> wave(std::size_t index) const;
  [[nodiscard]] std::size_t waves() const { return wave_ends_.size(); }

  /// The preceding sample in the same sequence and episode, or kStartsSequence.
  [[nodiscard]] std::int64_t before(std::size_t sample) const { return before_[sample]; }

  /// The number of the sample's chain, in [0, chains()): all samples that gradients join have the
  /// same one.
  [[nodiscard]] std::size_t chain(std::size_t sample) const { return chain_[sample]; }
  [[nodiscard]] std::size_t chains() const { return chains_; }

 private:
  std::int64_t checked(std::int64_t followed, std::size_t sample);
  void order(std::size_t first);

  std::vector<std::int64_t> before_;
  std::vector<std::size_t> chain_;
  std::vector<std::uint8_t> followed_;  // whether another sample follows it
  std::vector<std::size_t> depth_;      // for the latest call's samples: how many precede it in the
                                        // call
  std::vector<std::size_t> order_;      // all samples, wave by wave
  std::vector<std::size_t> wave_ends_;  // as places in order_
  std::vector<std::size_t> next_;       // place in order_ for each new wave's next sample
  std::size_t chains_ = 0;
  std::size_t latest_ = 0;  // samples of the latest call, if it was one wave
};

}  // namespace tandem
