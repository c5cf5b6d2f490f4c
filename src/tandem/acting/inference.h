// Who says what to do: the network of whoever acts, or others that predict for many.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "tandem/acting/network_copy.h"
#include "tandem/base/clock.h"
#include "tandem/nn/network.h"

namespace tandem {

/// What shares a forward pass.
enum class Answering {
  together,  // all samples of a batch
  alone      // each sample by itself: its bits do not depend on the others
};

/// What who acts asks; one for each, who keeps it.
struct InferenceRequest {
  Inputs inputs = {};
  Heads out = {};            // to be filled, as the state of the inputs
  std::int64_t version = 0;  // of the parameters of the answer

  // Where activations are to be kept, by sample. Only where samples are answered alone.
  Activations* activations = nullptr;
  std::span<const std::int64_t> places = {};

  bool answered = false;  // these are the policy's own
  Stopwatch watch = {};
  std::condition_variable_any changed = {};
};

/// Fills the heads of the question, by this network. Pure but for the network.
void answer_alone(Network& network, const InferenceRequest& question);

/// Answers whoever acts. Its kind says how many threads may ask.
class Inference {
 public:
  Inference() = default;
  virtual ~Inference() = default;
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  [[nodiscard]] virtual const Architecture& architecture() const = 0;

  /// Returns when `out`, the state of the inputs and the version are filled. Throws Stopped when
  /// there will be no answer.
  virtual void ask(InferenceRequest& question) = 0;
};

/// Predicts for itself, by the newest parameters, in the thread that asks. Not thread-safe.
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

/// A Inference as the network that acts. It does not learn: backward() throws std::logic_error. Not
/// thread-safe; one for whoever acts.
class PolicyClient : public Network {
 public:
  /// The policy must outlive it.
  explicit PolicyClient(Inference& policy) : policy_(policy) {}

  [[nodiscard]] const Architecture& architecture() const override { return policy_.architecture(); }
  void forward(const Inputs& inputs, const Heads& out) override;
  void record(const Inputs& inputs, const Heads& out) override;
  void backward(const HeadLoss& loss, std::span<float> gradient) override;

  /// From now on record() keeps activations, of sample i of its next call at places[i], and from
  /// one call to the next strides[i] further on. Null: it keeps none.
  void record_into(Activations* activations, std::vector<std::int64_t> places,
                   std::vector<std::int64_t> strides);

  /// Of the parameters that gave the last answer.
  [[nodiscard]] std::int64_t version() const { return question_.version; }

 private:
  Inference& policy_;
  InferenceRequest question_;
  Activations* activations_ = nullptr;
  std::vector<std::int64_t> places_, strides_;
};

}  // namespace tandem
