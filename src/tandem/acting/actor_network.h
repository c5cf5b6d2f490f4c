// A network as an actor uses it.
#pragma once

#include "tandem/nn/network.h"

namespace tandem {

/// The passes that an actor asks for. An actor knows neither who computes them nor who learns from
/// them. Not thread-safe; each actor has its own.
class ActorNetwork {
 public:
  ActorNetwork() = default;
  virtual ~ActorNetwork() = default;
  ActorNetwork(const ActorNetwork&) = delete;
  ActorNetwork& operator=(const ActorNetwork&) = delete;

  /// The sizes of inputs and heads.
  [[nodiscard]] virtual const Architecture& architecture() const = 0;

  /// Fills `out` in order to choose actions. Where learning wants the activations of this pass,
  /// they are kept for it.
  virtual void act(const Inputs& inputs, const Heads& out) = 0;

  /// Fills `out` in order to value states. Keeps nothing.
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

/// The network of a system that learns from passes of its own: nothing is recorded.
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
