// Forward passes for actors: each actor by itself, or many in one batch.
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
  together,  // all samples of a batch
  alone      // each sample by itself: its bits do not depend on the others
};

/// One actor's inference request. Each actor owns one and reuses it.
struct InferenceRequest {
  Inputs inputs = {};
  Heads out = {};            // to be filled, like the state of the inputs
  std::int64_t version = 0;  // of the parameters that gave the answer

  // Where to keep activations, by sample; only with Answering::alone.
  Activations* activations = nullptr;
  std::span<const std::int64_t> places = {};

  bool answered = false;  // the Inference's own, as the members below
  Stopwatch watch = {};
  std::condition_variable_any changed = {};
};

/// Fills the heads of the request with this network, sample by sample. Throws std::logic_error when
/// the request wants activations and the network has no recorder.
void answer_alone(Network& network, const InferenceRequest& question);

/// Answers the requests of actors. Each implementation says how many threads may ask.
class Inference {
 public:
  Inference() = default;
  virtual ~Inference() = default;
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  [[nodiscard]] virtual const Architecture& architecture() const = 0;

  /// Returns when `out`, the state of the inputs and the version are filled. Throws Stopped when no
  /// answer will come.
  virtual void ask(InferenceRequest& question) = 0;
};

/// Evaluates in the calling thread, with the newest parameters. Not thread-safe.
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

/// An actor whose forward passes an Inference computes. Not thread-safe; each actor has its own.
class PolicyClient final : public ActorNetwork {
 public:
  /// `inference` must outlive it.
  explicit PolicyClient(Inference& inference) : inference_(inference) {}

  [[nodiscard]] const Architecture& architecture() const override {
    return inference_.architecture();
  }
  /// Keeps activations where record_into() told it to.
  void act(const Inputs& inputs, const Heads& out) override;
  void look(const Inputs& inputs, const Heads& out) override;

  /// Makes act() keep activations from now on: those of sample i of its next call at places[i], and
  /// those of each later call strides[i] further. With null it keeps none.
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
