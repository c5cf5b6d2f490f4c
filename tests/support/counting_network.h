// A recurrent network that counts, for tests of how its state is carried.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tandem/nn/network.h"

namespace tandem {

/// Its state and its value are the number of steps so far in the episode. The most probable action
/// is this number, or the last action if there are too few. It has no parameters and no gradients.
/// Not thread-safe.
class CountingNetwork final : public Network {
 public:
  explicit CountingNetwork(std::int64_t actions)
      : architecture_{.name = "counting", .lstm = 1, .policy_outputs = actions} {}

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  void forward(const Inputs& inputs, const Heads& out) override {
    const auto last = static_cast<float>(out.actions - 1);
    for (std::int64_t i = 0; i < out.batch; ++i) {
      float& count = inputs.state[static_cast<std::size_t>(i * architecture_.state_size())];
      count = inputs.episode_starts[static_cast<std::size_t>(i)] != 0 ? 1 : count + 1;
      out.value[static_cast<std::size_t>(i)] = count;
      for (std::int64_t action = 0; action < out.actions; ++action) {
        const bool best = static_cast<float>(action) == std::min(count, last);
        out.logits[static_cast<std::size_t>(i * out.actions + action)] = best ? 1 : 0;
      }
    }
  }

  void record(const Inputs& inputs, const Heads& out) override { forward(inputs, out); }
  void backward(const HeadLoss&, std::span<float>) override {}

 private:
  Architecture architecture_;
};

}  // namespace tandem
