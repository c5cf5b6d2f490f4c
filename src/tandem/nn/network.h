// Evaluating a network and its gradient: bytes in, heads out. Each library has its own network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "tandem/nn/architecture.h"

namespace tandem {

class ActionCritic;
class ActivationRecorder;

/// Inputs of a network for a batch; views of the caller's memory. A network without a state needs
/// the observations alone; `state` has architecture().state_size() numbers for each sample.
struct Inputs {
  std::span<const std::byte> observations;  // [batch, observation], row-major
  std::span<float> state = {};              // [batch, state]: the one before, then the one after
  std::span<const std::uint8_t> episode_starts = {};  // [batch]: nonzero where an episode begins,
                                                      // whose state before counts as zero
  /// Instead of `observations`, for networks with takes_pieces() alone: the same from several
  /// places, one after another, each of some samples. See Pieces.
  std::span<const std::span<const std::byte>> pieces = {};

  /// [batch], for networks with a state: the number of the sample that each sample follows in its
  /// sequence. Numbers count the samples recorded since the last backward(), those of this call
  /// behind all earlier ones; in forward(), those of this call alone. A sample may be followed
  /// once, by a later one. The follower's state before is the followed sample's state after,
  /// whatever `state` holds, and gradients go back from one to the other. With kStartsSequence a
  /// sequence starts; its state before is that in `state`, a constant.
  ///
  /// Empty: sample i follows sample i of the call of record() before, which must have the same
  /// batch size, and `state` holds the state before. In the first call all samples start sequences.
  std::span<const std::int64_t> follows = {};
};

/// See Inputs::follows.
inline constexpr std::int64_t kStartsSequence = -1;

/// Outputs of a network for a batch; views of the caller's memory.
struct Heads {
  std::int64_t batch = 0;    // samples
  std::int64_t actions = 0;  // outputs of the policy head
  std::span<float> logits;   // [batch, actions]
  std::span<float> value;    // [batch]; empty: no value head
};

/// Given the heads, fills the gradient of a scalar loss with respect to them.
using HeadLoss = std::function<void(const Heads& heads, const Heads& gradient)>;

/// A network over parameters that it does not own. Not thread-safe: threads that share parameters
/// use one Network each, all bound to the same buffer. Uses the calling thread only. Spans of other
/// sizes than batch and architecture say, and a backward of nothing, throw std::logic_error.
class Network {
 public:
  virtual ~Network() = default;

  /// The sizes of inputs, heads and parameters.
  [[nodiscard]] virtual const Architecture& architecture() const = 0;

  /// Fills `out` for out.batch samples.
  virtual void forward(const Inputs& inputs, const Heads& out) = 0;

  /// As forward, and keeps the activations of these samples for backward(), behind those that it
  /// keeps already.
  virtual void record(const Inputs& inputs, const Heads& out) = 0;

  /// Evaluates the loss at the heads of all recorded samples, in their order, and goes backward:
  /// overwrites `gradient` (one float per parameter) with the loss's gradient and forgets the
  /// samples. The parameters must still be those of record(), so a system that learns from the pass
  /// that acted need not go forward twice.
  virtual void backward(const HeadLoss& loss, std::span<float> gradient) = 0;

  /// Must be called after the parameters changed and before the next call of another member;
  /// forgets the recorded samples.
  virtual void reload() {}

  /// Whether forward() and record() take observations in pieces.
  [[nodiscard]] virtual bool takes_pieces() const { return false; }

  /// The network's recorder into the caller's memory, or null where it has none. The network owns
  /// it.
  [[nodiscard]] virtual ActivationRecorder* at_places() { return nullptr; }

  /// The network as a critic of any action, or null where its value is that of states alone. The
  /// network owns it.
  [[nodiscard]] virtual ActionCritic* critic() { return nullptr; }
};

}  // namespace tandem
