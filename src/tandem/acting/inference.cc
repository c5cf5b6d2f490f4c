#include "tandem/acting/inference.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "tandem/sync/crew.h"

namespace tandem {

void answer_alone(Network& network, const InferenceRequest& question) {
  if (question.activations == nullptr) return forward_alone(network, question.inputs, question.out);
  auto* recorder = network.at_places();
  if (recorder == nullptr) throw std::logic_error("this network keeps no activations at places");
  recorder->record_at(question.inputs, question.out, *question.activations, question.places);
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

void PolicyClient::act(const Inputs& inputs, const Heads& out) {
  if (activations_ == nullptr) return look(inputs, out);
  request_.inputs = inputs;
  request_.out = out;
  request_.activations = activations_;
  request_.places = places_;
  inference_.ask(request_);
  std::ranges::transform(places_, strides_, places_.begin(), std::plus<>());
}

void PolicyClient::look(const Inputs& inputs, const Heads& out) {
  request_.inputs = inputs;
  request_.out = out;
  request_.activations = nullptr;
  inference_.ask(request_);
}

void PolicyClient::record_into(Activations* activations, std::vector<std::int64_t> places,
                               std::vector<std::int64_t> strides) {
  activations_ = activations;
  places_ = std::move(places);
  strides_ = std::move(strides);
}

}  // namespace tandem
