#include "tandem/nn/composed/normalised_network.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tandem/nn/activation_recorder.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/input_statistics.h"

namespace tandem {
namespace {

class NormalisedNetwork final : public Network, public ActivationRecorder {
 public:
  NormalisedNetwork(const Architecture& architecture, std::span<const float> parameters,
                    const PartFactory& make)
      : architecture_(architecture),
        trained_(static_cast<std::size_t>(architecture.trained_count())),
        normaliser_(architecture, parameters),
        inner_(make(architecture.without_statistics(), parameters.first(trained_))) {}

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  void forward(const Inputs& inputs, const Heads& out) override {
    inner_->forward(normalised(inputs, out), out);
  }

  void record(const Inputs& inputs, const Heads& out) override {
    inner_->record(normalised(inputs, out), out);
  }

  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    inner_->backward(loss, trained_part(gradient));
  }

  void reload() override { inner_->reload(); }

  [[nodiscard]] ActivationRecorder* at_places() override {
    return inner_->at_places() != nullptr ? this : nullptr;
  }

  [[nodiscard]] std::unique_ptr<Activations> make_activations(std::int64_t samples) const override {
    return inner_->at_places()->make_activations(samples);
  }

  void forward_alone(const Inputs& inputs, const Heads& out) override {
    inner_->at_places()->forward_alone(normalised(inputs, out), out);
  }

  void record_at(const Inputs& inputs, const Heads& out, Activations& activations,
                 std::span<const std::int64_t> places) override {
    inner_->at_places()->record_at(normalised(inputs, out), out, activations, places);
  }

  void record_together_at(const Inputs& inputs, const Heads& out, Activations& activations,
                          std::span<const std::int64_t> places) override {
    inner_->at_places()->record_together_at(normalised(inputs, out), out, activations, places);
  }

  void backward(const HeadLoss& loss, std::span<float> gradient, const Recorded& samples) override {
    inner_->at_places()->backward(loss, trained_part(gradient), samples);
  }

 private:
  /// The same inputs with normalised observations; valid until the next call.
  Inputs normalised(const Inputs& inputs, const Heads& out) {
    require_sizes(architecture_, inputs, out);
    numbers_.resize(inputs.observations.size() / sizeof(float));
    normaliser_.write(inputs.observations, numbers_);
    auto result = inputs;
    result.observations = std::as_bytes(std::span(std::as_const(numbers_)));
    return result;
  }

  /// The gradient of all parameters but the statistics, whose gradient becomes 0.
  [[nodiscard]] std::span<float> trained_part(std::span<float> gradient) const {
    std::ranges::fill(gradient.subspan(trained_), 0.0F);
    return gradient.first(trained_);
  }

  Architecture architecture_;
  std::size_t trained_;  // the number of the inner network's parameters, which come first
  InputNormaliser normaliser_;
  std::unique_ptr<Network> inner_;
  std::vector<float> numbers_;  // [batch, observation]
};

}  // namespace

std::unique_ptr<Network> make_normalised_network(const Architecture& architecture,
                                                 std::span<const float> parameters,
                                                 const PartFactory& make) {
  return std::make_unique<NormalisedNetwork>(architecture, parameters, make);
}

}  // namespace tandem
