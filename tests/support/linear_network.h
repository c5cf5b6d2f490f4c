// A network without a network library, for tests of whole systems under the sanitizers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tandem/nn/activation_recorder.h"
#include "tandem/nn/network.h"

namespace tandem {

/// A linear architecture for an environment: both heads take the observation directly. For
/// continuous actions the policy head gives the mean and the number from which the variance is
/// computed.
inline Architecture linear_architecture(const EnvSpec& spec) {
  return {.name = "linear",
          .input_dtype = spec.dtype,
          .input_shape = spec.observation_shape(),
          .policy_outputs = spec.discrete() ? spec.num_actions : spec.action_dims() + 1};
}

/// Policy and value are linear in the observation; u8 inputs are divided by 255. Gradients are
/// exact. As other networks may, it computes with a copy of the parameters, so that a reload() that
/// was left out is seen. Not thread-safe, like Network. The parameters must outlive it.
class LinearNetwork final : public Network, public ActivationRecorder {
 public:
  LinearNetwork(const Architecture& architecture, std::span<const float> parameters)
      : architecture_(architecture),
        actions_(architecture.policy_outputs),
        bytes_(architecture.input_dtype == DType::u8),
        x_(static_cast<std::size_t>(architecture.parameters().front().fan_in)),
        source_(parameters),
        parameters_(parameters.begin(), parameters.end()) {}

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  void forward(const Inputs& inputs, const Heads& out) override {
    for (std::int64_t i = 0; i < out.batch; ++i) {
      read(inputs.observations, i);
      for (std::int64_t output = 0; output < architecture_.outputs(); ++output) {
        float sum = parameters_[bias(output)];
        for (std::size_t k = 0; k < x_.size(); ++k) sum += parameters_[weight(output) + k] * x_[k];
        (output < actions_ ? out.logits[i * actions_ + output] : out.value[i]) = sum;
      }
    }
  }

  void record(const Inputs& inputs, const Heads& out) override {
    forward(inputs, out);
    recorded_.insert(recorded_.end(), inputs.observations.begin(), inputs.observations.end());
    samples_ += out.batch;
  }

  [[nodiscard]] ActivationRecorder* at_places() override { return this; }

  [[nodiscard]] std::unique_ptr<Activations> make_activations(std::int64_t samples) const override {
    auto activations = std::make_unique<Observations>();
    activations->bytes.resize(static_cast<std::size_t>(samples) * observation_bytes());
    return activations;
  }

  void forward_alone(const Inputs& inputs, const Heads& out) override { forward(inputs, out); }

  void record_at(const Inputs& inputs, const Heads& out, Activations& activations,
                 std::span<const std::int64_t> places) override {
    forward(inputs, out);
    auto& all = dynamic_cast<Observations&>(activations).bytes;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] == kNowhere) continue;
      std::ranges::copy(inputs.observations.subspan(i * observation_bytes(), observation_bytes()),
                        &all[static_cast<std::size_t>(places[i]) * observation_bytes()]);
    }
  }

  void record_together_at(const Inputs& inputs, const Heads& out, Activations& activations,
                          std::span<const std::int64_t> places) override {
    record_at(inputs, out, activations, places);
  }

  void backward(const HeadLoss& loss, std::span<float> gradient, const Recorded& samples) override {
    const std::span all = dynamic_cast<Observations&>(samples.activations).bytes;
    const auto chosen = all.subspan(static_cast<std::size_t>(samples.first) * observation_bytes(),
                                    static_cast<std::size_t>(samples.count) * observation_bytes());
    recorded_.assign(chosen.begin(), chosen.end());
    samples_ = samples.count;
    backward(loss, gradient);
  }

  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    std::vector<float> logits(samples_ * actions_);
    std::vector<float> value(architecture_.value_head ? samples_ : 0);
    std::vector<float> logits_gradient(logits.size()), value_gradient(value.size());
    const Heads heads{samples_, actions_, logits, value};
    forward({recorded_}, heads);
    loss(heads, {samples_, actions_, logits_gradient, value_gradient});

    std::ranges::fill(gradient, 0.0f);
    for (std::int64_t i = 0; i < samples_; ++i) {
      read(recorded_, i);
      for (std::int64_t output = 0; output < architecture_.outputs(); ++output) {
        const float d =
            output < actions_ ? logits_gradient[i * actions_ + output] : value_gradient[i];
        gradient[bias(output)] += d;
        for (std::size_t k = 0; k < x_.size(); ++k) gradient[weight(output) + k] += d * x_[k];
      }
    }
    forget();
  }

  void reload() override {
    std::ranges::copy(source_, parameters_.begin());
    forget();
  }

 private:
  void forget() {
    recorded_.clear();
    samples_ = 0;
  }

  /// Observations in place of activations, because backward() goes forward again.
  struct Observations final : Activations {
    std::vector<std::byte> bytes;
  };

  [[nodiscard]] std::size_t observation_bytes() const { return x_.size() * (bytes_ ? 1 : 4); }

  // The flat buffer: policy weight [actions, inputs], policy bias, value weight [inputs], value
  // bias. The value is counted as output number `actions`.
  [[nodiscard]] std::size_t weight(std::int64_t output) const {
    return output * x_.size() + (output == actions_ ? actions_ : 0);
  }
  [[nodiscard]] std::size_t bias(std::int64_t output) const {
    return output < actions_ ? actions_ * x_.size() + output : weight(actions_) + x_.size();
  }

  /// Reads the inputs of sample i into x_.
  void read(std::span<const std::byte> observations, std::int64_t i) {
    if (!bytes_) {
      std::memcpy(x_.data(), observations.data() + i * x_.size() * 4, x_.size() * 4);
      return;
    }
    for (std::size_t k = 0; k < x_.size(); ++k) {
      x_[k] = static_cast<float>(observations[i * x_.size() + k]) / 255.0f;
    }
  }

  Architecture architecture_;
  std::int64_t actions_;
  bool bytes_;
  std::vector<float> x_;
  std::vector<std::byte> recorded_;
  std::int64_t samples_ = 0;
  std::span<const float> source_;
  std::vector<float> parameters_;
};

}  // namespace tandem
