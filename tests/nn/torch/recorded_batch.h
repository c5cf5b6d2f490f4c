// A batch of observations, and the results of networks that are to agree on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/nn/network_contract.h"

namespace tandem {

/// Observations of an environment, one a sample.
struct Batch {
  EnvSpec spec;
  std::int64_t samples = 0;
  std::vector<std::byte> observations;
};

/// 80 pictures of Atari's shape whose bytes are random.
inline Batch random_batch() {
  Batch batch{Atari::spec(), 80, {}};
  batch.observations.resize(batch.samples * batch.spec.observation_bytes());
  Stream stream(5, 6);
  for (auto& byte : batch.observations) byte = static_cast<std::byte>(stream.bits());
  return batch;
}

/// A network's results for a batch, recorded in parts of 16 as in PAAC.
struct Result {
  std::vector<float> logits, value, gradient;

  Result(Network& network, const Architecture& architecture, const Batch& batch)
      : logits(batch.samples * architecture.policy_outputs),
        value(batch.samples),
        gradient(architecture.parameter_count()) {
    const auto actions = architecture.policy_outputs;
    const auto bytes = batch.spec.observation_bytes();
    for (std::int64_t first = 0; first < batch.samples; first += 16) {
      network.record({std::span(batch.observations).subspan(first * bytes, 16 * bytes)},
                     {16, actions, std::span(logits).subspan(first * actions, 16 * actions),
                      std::span(value).subspan(first, 16)});
    }
    network.backward(copy_heads, gradient);
  }

  /// The part of the gradient that belongs to one parameter.
  [[nodiscard]] std::span<const float> gradient_of(const ParameterInfo& info) const {
    return std::span(gradient).subspan(info.offset, info.count);
  }
};

}  // namespace tandem
