// What a network computes, whatever library computes it: bytes in, heads out; gradients flat.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "tandem/nn/architecture.h"

namespace tandem {

/// What a network takes in for a batch; views of the caller's memory. A network without a state
/// needs the observations alone; `state` has architecture().state_size() numbers for each sample.
struct Inputs {
  std::span<const std::byte> observations;  // [batch, observation], row-major
  std::span<float> state = {};              // [batch, state]: the one before, then the one after
  std::span<const std::uint8_t> episode_starts = {};  // [batch]: nonzero where an episode begins,
                                                      // whose state before counts as zero
  /// Instead of `observations`, for networks with takes_pieces() alone: the same from several
  /// places, one after another, each of some samples. See Pieces.
  std::span<const std::span<const std::byte>> pieces = {};
};

/// Outputs of a network for a batch; views of the caller's memory.
struct Heads {
  std::int64_t batch = 0;
  std::int64_t actions = 0;  // outputs of the policy head
  std::span<float> logits;   // [batch, actions]
  std::span<float> value;    // [batch]; empty: no value head
};

/// Given the heads, fills the gradient of a scalar loss with respect to them.
using HeadLoss = std::function<void(const Heads& heads, const Heads& gradient)>;

/// The activations of some samples, each at a place of its own, for one backward pass over them or
/// several. Threads may fill different places at the same time, each by a network of its own.
class Activations {
 public:
  Activations() = default;
  virtual ~Activations() = default;
  Activations(const Activations&) = delete;
  Activations& operator=(const Activations&) = delete;
};

/// Samples [first, first + count) of them; a view.
struct Recorded {
  Activations& activations;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// A network over parameters that it does not own. Not thread-safe: threads that share parameters
/// use one Network each, all bound to the same buffer. Uses the calling thread only. Spans of other
/// sizes than batch and architecture say, and a backward of nothing, throw std::logic_error.
class Network {
 public:
  virtual ~Network() = default;

  /// What it computes: the sizes of inputs, heads and parameters.
  [[nodiscard]] virtual const Architecture& architecture() const = 0;

  /// Whether forward() and record() take observations in pieces.
  [[nodiscard]] virtual bool takes_pieces() const { return false; }

  /// Fills `out` for out.batch samples.
  virtual void forward(const Inputs& inputs, const Heads& out) = 0;

  /// As forward, and keeps what backward needs of these samples, behind those it keeps already.
  virtual void record(const Inputs& inputs, const Heads& out) = 0;

  /// The loss at the heads of all recorded samples, in their order, then backward: overwrites
  /// `gradient` (one float per parameter) with the loss's gradient and forgets the samples. The
  /// parameters must still be those of record, so a system that learns from what it just did need
  /// not go forward twice.
  virtual void backward(const HeadLoss& loss, std::span<float> gradient) = 0;

  /// Room for the activations of `samples` samples, to be filled by record_at() of any network of
  /// this kind and architecture; null where a network keeps none.
  [[nodiscard]] virtual std::unique_ptr<Activations> make_activations(
      std::int64_t /*samples*/) const {
    return nullptr;
  }

  /// As forward of each sample by itself. Libraries choose how they sum by the size of a batch, and
  /// so the last bits of a row by how many rows share it; here they do not depend on the others.
  virtual void forward_alone(const Inputs& inputs, const Heads& out);

  /// As forward_alone, and keeps what backward needs of sample i at places[i]. Throws
  /// std::logic_error for those of another kind of network.
  virtual void record_at(const Inputs& inputs, const Heads& out, Activations& activations,
                         std::span<const std::int64_t> places);

  /// As backward over those samples, which stay recorded. The parameters must be those of
  /// record_at(); the network need not be the same.
  virtual void backward(const HeadLoss& loss, std::span<float> gradient, const Recorded& samples);

  /// Where the value's network is a critic of actions: values [batch], q(s, a) of the `actions`
  /// [batch, dims], in the environment's units. Throws std::logic_error elsewhere.
  virtual void judge_actions(std::span<const std::byte> observations,
                             std::span<const float> actions, std::span<float> values);

  /// Must be called after the parameters changed and before the next call of another member;
  /// forgets what was recorded.
  virtual void reload() {}
};

/// Settings of the whole process that make libtorch fast here: no thread pools of its own, and
/// freed memory kept for the next batch. Call once at the start of main, before other threads.
void prepare_torch();

/// A network computed by libtorch. `parameters` must outlive it; device: "cpu" or "cuda" (throws
/// Error when this libtorch has no CUDA or there is no GPU). bf16 is libtorch's own setting for the
/// products of fp32 numbers, from then on, for the whole process; throws Error on "cuda".
std::unique_ptr<Network> make_torch_network(const Architecture& architecture,
                                            std::span<const float> parameters,
                                            const std::string& device,
                                            Precision precision = Precision::fp32);

/// Whether make_onednn_network knows such networks: u8 images, ReLUs, convolutions with multiples
/// of 16 filters, which fill oneDNN's blocks, and a first kernel that cells can cut up (see Cells).
/// Never, in a build without oneDNN.
bool onednn_supports(const Architecture& architecture);

/// A network computed by oneDNN on the CPU, without a copy to float of what it is given, with
/// weights reordered once for each reload(), and with buffers that stay. `parameters` must outlive
/// it. Throws Error when this CPU has no instructions for `precision`.
std::unique_ptr<Network> make_onednn_network(const Architecture& architecture,
                                             std::span<const float> parameters,
                                             Precision precision);

/// Makes a network of some library, over parameters that it does not own.
using MakeNetwork =
    std::function<std::unique_ptr<Network>(const Architecture&, std::span<const float> parameters)>;

/// architecture.lstm > 0 cells with their heads on the CPU, over the torso that `make_below` makes,
/// for all but the recurrence, from a part of the parameters. Gradients go back through the steps
/// recorded since the last backward() and no further, and not beyond the beginning of an episode.
/// Sample i of a step follows sample i of the step recorded before, so all steps between two
/// updates must have one batch size (else std::logic_error). A3C, section 5.1.
std::unique_ptr<Network> make_lstm_network(const Architecture& architecture,
                                           std::span<const float> parameters,
                                           const MakeNetwork& make_below);

/// The two networks of a separate architecture, each made by `make` from its part of the
/// parameters; a state is that of the policy's, then that of the value's.
std::unique_ptr<Network> make_separate_network(const Architecture& architecture,
                                               std::span<const float> parameters,
                                               const MakeNetwork& make);

/// The deterministic policy and critic of such an architecture, in plain C++ on the CPU: the policy
/// head is pi(s), within the bounds of the environment's actions, and the value q(s, pi(s)). It
/// acts and judges; record() and backward() throw std::logic_error (DpgGradient learns). Ape-X,
/// section 3.2. `parameters` must outlive it.
std::unique_ptr<Network> make_dpg_network(const Architecture& architecture,
                                          std::span<const float> parameters);

/// The network of the fastest library that can compute it: oneDNN where it supports it and device
/// is "cpu", else libtorch; an LSTM over that, and two of them where they are separate; plain C++
/// for a deterministic policy, for which it throws Error where device or precision are others.
/// Otherwise as those.
std::unique_ptr<Network> make_network(const Architecture& architecture,
                                      std::span<const float> parameters, const std::string& device,
                                      Precision precision);

}  // namespace tandem
