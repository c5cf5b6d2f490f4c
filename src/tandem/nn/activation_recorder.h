// Recording where one network acts and another learns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tandem/nn/network.h"

namespace tandem {

/// Room for the activations of some samples, each at a place of its own. Threads may fill different
/// places at the same time, each through a recorder of its own.
class Activations {
 public:
  Activations() = default;
  virtual ~Activations() = default;
  Activations(const Activations&) = delete;
  Activations& operator=(const Activations&) = delete;
};

/// The samples at places [first, first + count); a view.
struct Recorded {
  Activations& activations;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// A network's way to keep activations in the caller's memory, so that another network of the same
/// kind and architecture can learn from them (Network::at_places()). Not thread-safe, as its
/// network.
class ActivationRecorder {
 public:
  virtual ~ActivationRecorder() = default;

  /// Room for `samples` samples.
  [[nodiscard]] virtual std::unique_ptr<Activations> make_activations(
      std::int64_t samples) const = 0;

  /// As the function forward_alone() of the network, in fewer calls of its library.
  virtual void forward_alone(const Inputs& inputs, const Heads& out) = 0;

  /// As forward_alone(), and keeps the activations of sample i at places[i]. Throws
  /// std::logic_error where the activations are those of another kind of network.
  virtual void record_at(const Inputs& inputs, const Heads& out, Activations& activations,
                         std::span<const std::int64_t> places) = 0;

  /// As Network::backward() over these samples, which stay recorded. The parameters must be those
  /// of record_at().
  virtual void backward(const HeadLoss& loss, std::span<float> gradient,
                        const Recorded& samples) = 0;
};

/// As network.forward() of each sample by itself. Libraries choose how they sum by the size of a
/// batch, so the last bits of a sample's heads depend on how many samples share the batch. Here
/// they depend on the sample alone.
void forward_alone(Network& network, const Inputs& inputs, const Heads& out);

}  // namespace tandem
