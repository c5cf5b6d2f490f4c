// A network as an actor uses it.
#pragma once

#include "tandem/nn/network.h"

namespace tandem {

/// The forward passes of an actor. The actor depends neither on the way in which they are computed
/// nor on the way in which the system learns from them. Not thread-safe; each actor has its own.
class ActorNetwork {
 public:
  ActorNetwork() = default;
  virtual ~ActorNetwork() = default;
  ActorNetwork(const ActorNetwork&) = delete;
  ActorNetwork& operator=(const ActorNetwork&) = delete;

  /// The sizes of inputs and heads.
  [[nodiscard]] virtual const Architecture& architecture() const = 0;

  /// Fills `out`, from which the actor chooses actions. Keeps the activations of this pass if
  /// learning needs them.
  virtual void act(const Inputs& inputs, const Heads& out) = 0;

  /// Fills `out`, from which the actor values states. Keeps no activations.
  virtual void look(const Inputs& inputs, const Heads& out) = 0;
};

/// The network of a system that learns from the pass that acted: act() records it.
class RecordingActor final : public ActorNetwork {
 public:
  /// The network must outlive it.
  explicit RecordingActor(Network& network) : network_(network) {}

  [[nodiscard]] const Architecture& architecture() const override {
    return network_.architecture();
  }
  void act(const Inputs& inputs, const Heads& out) override { network_.record(inputs, out); }
  void look(const Inputs& inputs, const Heads& out) override { network_.forward(inputs, out); }

 private:
  Network& network_;
};

/// The network of a system that computes its own passes for learning: nothing is recorded.
class ForwardActor final : public ActorNetwork {
 public:
  /// The network must outlive it.
  explicit ForwardActor(Network& network) : network_(network) {}

  [[nodiscard]] const Architecture& architecture() const override {
    return network_.architecture();
  }
  void act(const Inputs& inputs, const Heads& out) override { network_.forward(inputs, out); }
  void look(const Inputs& inputs, const Heads& out) override { network_.forward(inputs, out); }

 private:
  Network& network_;
};

}  // namespace tandem
