// Two networks that share nothing: one for the policy, one for the value.

#include "tandem/nn/composed/separate_network.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tandem/nn/batch.h"

namespace tandem {
namespace {

/// One of the two networks, whose policy head is its only head, with its share of each sample's
/// state. Not thread-safe.
class Half {
 public:
  Half(const Architecture& architecture, std::span<const float> parameters, const PartFactory& make)
      : network_(make(architecture, parameters)),
        width_(architecture.policy_outputs),
        state_size_(static_cast<std::size_t>(architecture.state_size())) {}

  [[nodiscard]] Network& network() { return *network_; }

  /// Runs `pass` on the part of each sample's state that starts at `offset`.
  template <class Pass>
  void run(const Inputs& inputs, std::size_t offset, std::span<float> out, Pass pass) {
    const auto batch = static_cast<std::int64_t>(out.size()) / width_;
    const auto samples = static_cast<std::size_t>(batch);
    const auto whole = inputs.state.size() / samples;
    state_.resize(samples * state_size_);
    for (std::size_t i = 0; i < samples; ++i) {
      std::ranges::copy(inputs.state.subspan(i * whole + offset, state_size_),
                        state_.begin() + static_cast<std::ptrdiff_t>(i * state_size_));
    }
    pass(*network_,
         Inputs{.observations = inputs.observations,
                .state = state_,
                .episode_starts = inputs.episode_starts,
                .follows = inputs.follows},
         Heads{batch, width_, out, {}});
    for (std::size_t i = 0; i < samples; ++i) {
      std::ranges::copy(std::span(state_).subspan(i * state_size_, state_size_),
                        inputs.state.begin() + static_cast<std::ptrdiff_t>(i * whole + offset));
    }
  }

  void backward(std::span<const float> d_head, std::span<float> gradient) {
    network_->backward(
        [&](const Heads&, const Heads& d) { std::ranges::copy(d_head, d.logits.begin()); },
        gradient);
  }

 private:
  std::unique_ptr<Network> network_;
  std::int64_t width_;
  std::size_t state_size_;
  std::vector<float> state_;
};

class SeparateNetwork final : public Network {
 public:
  SeparateNetwork(const Architecture& architecture, std::span<const float> parameters,
                  const PartFactory& make)
      : architecture_(architecture),
        policy_size_(static_cast<std::size_t>(architecture.policy_part().parameter_count())),
        value_offset_(static_cast<std::size_t>(architecture.policy_part().state_size())),
        policy_(architecture.policy_part(), parameters.first(policy_size_), make),
        value_(architecture.value_part(), parameters.subspan(policy_size_), make),
        heads_(architecture.policy_outputs) {}

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  void forward(const Inputs& inputs, const Heads& out) override {
    run(inputs, out,
        [](Network& half, const Inputs& in, const Heads& head) { half.forward(in, head); });
  }

  void record(const Inputs& inputs, const Heads& out) override {
    run(inputs, out,
        [](Network& half, const Inputs& in, const Heads& head) { half.record(in, head); });
    heads_.add(out);
  }

  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    const auto d = heads_.gradient(loss);
    policy_.backward(d.logits, gradient.first(policy_size_));
    value_.backward(d.value, gradient.subspan(policy_size_));
    heads_.clear();
  }

  void reload() override {
    policy_.network().reload();
    value_.network().reload();
    heads_.clear();
  }

 private:
  template <class Pass>
  void run(const Inputs& inputs, const Heads& out, Pass pass) {
    require_sizes(architecture_, inputs, out);
    policy_.run(inputs, 0, out.logits, pass);
    value_.run(inputs, value_offset_, out.value, pass);
  }

  Architecture architecture_;
  std::size_t policy_size_;   // the number of the policy's parameters, which come first
  std::size_t value_offset_;  // where the value's part of a sample's state begins
  Half policy_, value_;
  RecordedHeads heads_;
};

}  // namespace

std::unique_ptr<Network> make_separate_network(const Architecture& architecture,
                                               std::span<const float> parameters,
                                               const PartFactory& make) {
  return std::make_unique<SeparateNetwork>(architecture, parameters, make);
}

}  // namespace tandem
