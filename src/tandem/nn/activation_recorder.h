// Recording activations for a system in which one network acts and another learns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tandem/nn/network.h"

namespace tandem {

/// Memory for the activations of some samples, each at its own place. Threads may fill different
/// places at the same time, each through its own recorder.
class Activations {
 public:
  Activations() = default;
  virtual ~Activations() = default;
  Activations(const Activations&) = delete;
  Activations& operator=(const Activations&) = delete;
};

/// A view of the samples at places [first, first + count).
struct Recorded {
  Activations& activations;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The place of a sample whose activations are not kept.
inline constexpr std::int64_t kNowhere = -1;

/// Keeps a network's activations in the caller's memory, so that another network of the same kind
/// and architecture can learn from them (Network::at_places()). Not thread-safe, like its network.
class ActivationRecorder {
 public:
  virtual ~ActivationRecorder() = default;

  /// Allocates memory for the activations of `samples` samples.
  [[nodiscard]] virtual std::unique_ptr<Activations> make_activations(
      std::int64_t samples) const = 0;

  /// Makes the forward pass of each sample by itself (see the free function forward_alone()), in
  /// fewer calls of the network's library.
  virtual void forward_alone(const Inputs& inputs, const Heads& out) = 0;

  /// Computes the same as forward_alone(), and keeps the activations of sample i at places[i].
  /// Throws std::logic_error for activations of another kind of network.
  virtual void record_at(const Inputs& inputs, const Heads& out, Activations& activations,
                         std::span<const std::int64_t> places) = 0;

  /// Makes one forward pass over all samples, as Network::record() does, and keeps the activations
  /// of sample i at places[i], or nowhere if that is kNowhere.
  virtual void record_together_at(const Inputs& inputs, const Heads& out, Activations& activations,
                                  std::span<const std::int64_t> places) = 0;

  /// Computes the same as Network::backward() over these samples, which stay recorded. The
  /// parameters must not have changed since record_at().
  virtual void backward(const HeadLoss& loss, std::span<float> gradient,
                        const Recorded& samples) = 0;
};

/// Makes the forward pass of each sample by itself: with the network's recorder
/// (Network::at_places()) if it has one, otherwise with one forward() for each sample. Libraries
/// choose the order of sums by the size of a batch, so the last bits of a sample's heads usually
/// depend on how many samples share its batch. Here they depend on the sample alone.
void forward_alone(Network& network, const Inputs& inputs, const Heads& out);

}  // namespace tandem
