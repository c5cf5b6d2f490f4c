// The interface of networks: from bytes to heads, and back to gradients. Each library has its own
// implementation.
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
  std::span<float> state = {};              // [batch, state]: before the call the old state, after
                                            // it the new one
  std::span<const std::uint8_t> episode_starts = {};  // [batch]: nonzero if an episode begins with
                                                      // this sample; its old state then counts as 0
  /// The observations in pieces, in place of `observations`; only for networks with takes_pieces().
  /// The pieces lie in several places of memory, have some whole samples each, and follow one
  /// another in the batch. See Pieces.
  std::span<const std::span<const std::byte>> pieces = {};

  /// [batch], for networks with a state: the index of the sample that each sample follows in its
  /// sequence. record() counts the samples recorded since the last backward(), and this call's
  /// samples come after all earlier ones; forward() counts this call's samples alone. At most one
  /// sample may follow each sample, and it must be a later one. The follower's old state is the
  /// followed sample's new state, whatever `state` holds, and gradients are backpropagated from the
  /// follower to the followed sample. kStartsSequence starts a sequence: the sample's old state is
  /// that in `state`, a constant.
  ///
  /// If `follows` is empty, sample i follows sample i of the previous call of record(), which must
  /// have the same batch size, and `state` holds the old state. In the first call all samples start
  /// sequences.
  std::span<const std::int64_t> follows = {};
};

/// The value in Inputs::follows of a sample that starts a sequence.
inline constexpr std::int64_t kStartsSequence = -1;

/// Outputs of a network for a batch; views of the caller's memory.
struct Heads {
  std::int64_t batch = 0;    // samples
  std::int64_t actions = 0;  // outputs of the policy head
  std::span<float> logits;   // [batch, actions]
  std::span<float> value;    // [batch]; empty: no value head
};

/// Fills in the gradient of a scalar loss with respect to the heads.
using HeadLoss = std::function<void(const Heads& heads, const Heads& gradient)>;

/// A network over parameters that it does not own. Not thread-safe: threads that share parameters
/// use one Network each, all bound to the same buffer. Uses the calling thread only. Throws
/// std::logic_error for spans whose sizes contradict batch and architecture, and for a backward()
/// without recorded samples.
class Network {
 public:
  virtual ~Network() = default;

  /// The sizes of inputs, heads and parameters.
  [[nodiscard]] virtual const Architecture& architecture() const = 0;

  /// Fills `out` for out.batch samples.
  virtual void forward(const Inputs& inputs, const Heads& out) = 0;

  /// Like forward(), but appends the activations of these samples to those that it keeps for
  /// backward().
  virtual void record(const Inputs& inputs, const Heads& out) = 0;

  /// Evaluates the loss at the heads of all recorded samples, in their order, and backpropagates
  /// it: overwrites `gradient` (one float per parameter) with the loss's gradient and forgets the
  /// samples. The parameters must still be those of record(). A system that learns from the forward
  /// pass with which it acted therefore needs no second one.
  virtual void backward(const HeadLoss& loss, std::span<float> gradient) = 0;

  /// Must be called after the parameters have changed and before the next call of another member;
  /// forgets the recorded samples.
  virtual void reload() {}

  /// Whether forward() and record() take observations in pieces.
  [[nodiscard]] virtual bool takes_pieces() const { return false; }

  /// A recorder of activations in the caller's memory, or null if the network has none. The network
  /// owns it.
  [[nodiscard]] virtual ActivationRecorder* at_places() { return nullptr; }

  /// The network as a critic of any action, or null if it values states alone. The network owns it.
  [[nodiscard]] virtual ActionCritic* critic() { return nullptr; }
};

}  // namespace tandem
