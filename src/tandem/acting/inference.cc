#include "tandem/acting/inference.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "tandem/sync/crew.h"

namespace tandem {

void compute(Network& network, const ForwardPass& pass, Answering answering) {
  const auto& [inputs, out, activations, places] = pass;
  const bool alone = answering == Answering::alone;
  if (activations == nullptr) {
    return alone ? forward_alone(network, inputs, out) : network.forward(inputs, out);
  }
  auto* recorder = network.at_places();
  if (recorder == nullptr) throw std::logic_error("this network keeps no activations at places");
  alone ? recorder->record_at(inputs, out, *activations, places)
        : recorder->record_together_at(inputs, out, *activations, places);
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
  compute(model_.network(), question.pass, answering_);
}

void PolicyClient::act(const Inputs& inputs, const Heads& out) {
  if (activations_ == nullptr) return look(inputs, out);
  request_.pass = {inputs, out, activations_, places_};
  inference_.ask(request_);
  std::ranges::transform(places_, strides_, places_.begin(), std::plus<>());
}

void PolicyClient::look(const Inputs& inputs, const Heads& out) {
  request_.pass = {inputs, out};
  inference_.ask(request_);
}

void PolicyClient::record_into(Activations* activations, std::vector<std::int64_t> places,
                               std::vector<std::int64_t> strides) {
  activations_ = activations;
  places_ = std::move(places);
  strides_ = std::move(strides);
}

}  // namespace tandem
