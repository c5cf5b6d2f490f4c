// Forward passes for actors: for each actor on its own, or for many actors in one batch.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/network_copy.h"
#include "tandem/base/clock.h"
#include "tandem/nn/activation_recorder.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The way in which samples share forward passes.
enum class Answering {
  together,  // one pass for all samples of a batch
  alone      // one pass for each sample: no bit of its heads depends on other samples
};

/// A forward pass to compute; views of the caller's memory.
struct ForwardPass {
  Inputs inputs = {};
  Heads out = {};

  // The memory for activations and the place of each sample in it; null: keeps none.
  Activations* activations = nullptr;
  std::span<const std::int64_t> places = {};
};

/// One actor's inference request. Each actor owns one and reuses it.
struct InferenceRequest {
  ForwardPass pass = {};     // the answer fills its heads and the state of its inputs
  std::int64_t version = 0;  // of the parameters that gave the answer

  bool answered = false;  // only the Inference uses it and the members below
  Stopwatch watch = {};
  std::condition_variable_any changed = {};
};

/// Computes a pass with this network, sample by sample or as a whole. Throws std::logic_error when
/// the pass keeps activations and the network has no recorder.
void compute(Network& network, const ForwardPass& pass, Answering answering);

/// Answers the requests of actors. Each implementation says how many threads may ask.
class Inference {
 public:
  Inference() = default;
  virtual ~Inference() = default;
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  [[nodiscard]] virtual const Architecture& architecture() const = 0;

  /// Returns when the pass and the version are filled. Throws Stopped when no
  /// answer will come.
  virtual void ask(InferenceRequest& question) = 0;
};

/// Computes forward passes in the calling thread, with the newest parameters. Not thread-safe.
class LocalInference final : public Inference {
 public:
  LocalInference(NetworkCopy model, Answering answering, std::stop_token stop);

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }
  void ask(InferenceRequest& question) override;

 private:
  NetworkCopy model_;
  const Architecture architecture_;
  const Answering answering_;
  const std::stop_token stop_;
};

/// The network of an actor whose forward passes an Inference computes. Not thread-safe; each actor
/// has its own.
class PolicyClient final : public ActorNetwork {
 public:
  /// `inference` must outlive it.
  explicit PolicyClient(Inference& inference) : inference_(inference) {}

  [[nodiscard]] const Architecture& architecture() const override {
    return inference_.architecture();
  }
  /// Keeps activations if record_into() asked for them.
  void act(const Inputs& inputs, const Heads& out) override;
  void look(const Inputs& inputs, const Heads& out) override;

  /// Makes act() keep activations from now on: its next call keeps those of sample i at places[i],
  /// and each later call keeps them strides[i] further. With null, act() keeps none.
  void record_into(Activations* activations, std::vector<std::int64_t> places,
                   std::vector<std::int64_t> strides);

  /// The version of the parameters that gave the last answer.
  [[nodiscard]] std::int64_t version() const { return request_.version; }

 private:
  Inference& inference_;
  InferenceRequest request_;
  Activations* activations_ = nullptr;
  std::vector<std::int64_t> places_, strides_;
};

}  // namespace tandem
