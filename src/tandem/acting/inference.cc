#include "tandem/acting/inference.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "tandem/sync/crew.h"

namespace tandem {

void answer_alone(Network& network, const InferenceRequest& question) {
  if (question.activations == nullptr) return network.forward_alone(question.inputs, question.out);
  network.record_at(question.inputs, question.out, *question.activations, question.places);
}

LocalInference::LocalInference(NetworkCopy model, Answering answering, std::stop_token stop)
    : model_(std::move(model)),
      architecture_(model_.network().architecture()),
      answering_(answering),
      stop_(std::move(stop)) {}

void LocalInference::ask(InferenceRequest& question) {
  if (stop_.stop_requested()) throw Stopped();
  model_.synchronise();
  question.version = model_.version();
  if (answering_ == Answering::alone) return answer_alone(model_.network(), question);
  model_.network().forward(question.inputs, question.out);
}

void PolicyClient::forward(const Inputs& inputs, const Heads& out) {
  question_.inputs = inputs;
  question_.out = out;
  question_.activations = nullptr;
  policy_.ask(question_);
}

void PolicyClient::record(const Inputs& inputs, const Heads& out) {
  if (activations_ == nullptr) return forward(inputs, out);
  question_.inputs = inputs;
  question_.out = out;
  question_.activations = activations_;
  question_.places = places_;
  policy_.ask(question_);
  std::ranges::transform(places_, strides_, places_.begin(), std::plus<>());
}

void PolicyClient::record_into(Activations* activations, std::vector<std::int64_t> places,
                               std::vector<std::int64_t> strides) {
  activations_ = activations;
  places_ = std::move(places);
  strides_ = std::move(strides);
}

void PolicyClient::backward(const HeadLoss& /*loss*/, std::span<float> /*gradient*/) {
  throw std::logic_error("a policy that only answers cannot learn");
}

}  // namespace tandem
