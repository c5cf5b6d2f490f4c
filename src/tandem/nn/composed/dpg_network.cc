#include "tandem/nn/composed/dpg_network.h"

#include <vector>

#include "tandem/nn/action_critic.h"
#include "tandem/nn/action_scale.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/composed/deterministic_actor_critic.h"
#include "tandem/nn/kernels/tanh.h"

namespace tandem {
namespace {

class DpgNetwork final : public Network, public ActionCritic {
 public:
  DpgNetwork(const Architecture& architecture, std::span<const float> parameters)
      : architecture_(architecture),
        networks_(architecture, parameters),
        scale_(architecture.action_low, architecture.action_high),
        heads_(architecture.policy_outputs) {}

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  [[nodiscard]] ActionCritic* critic() override { return this; }

  void forward(const Inputs& inputs, const Heads& out) override {
    require_sizes(architecture_, inputs, out);
    networks_.act(inputs.observations, out.logits);
    networks_.judge(inputs.observations, out.logits, out.value);
  }

  void record(const Inputs& inputs, const Heads& out) override {
    forward(inputs, out);
    observations_.insert(observations_.end(), inputs.observations.begin(),
                         inputs.observations.end());
    heads_.add(out);
  }

  /// Repeats the forward pass, because each of the two networks keeps only the activations of its
  /// latest batch. The loss depends on the policy's action both directly and through its value.
  void backward(const HeadLoss& loss, std::span<float> gradient) override {
    const Heads d = heads_.gradient(loss);
    scaled_.resize(d.logits.size());
    d_scaled_.resize(d.logits.size());
    q_.resize(d.value.size());
    networks_.differentiate_by_action(observations_, scaled_, q_, d_scaled_);
    networks_.critic_backward(d.value, gradient);
    const auto dims = networks_.action_dims();
    for (std::size_t i = 0; i < d_scaled_.size(); ++i) {
      d_scaled_[i] = d.logits[i] * scale_.half_range(i % dims) + d.value[i / dims] * d_scaled_[i];
    }
    tanh_backward(scaled_.size(), scaled_.data(), d_scaled_.data(), d_scaled_.data());
    networks_.policy_backward(d_scaled_, gradient);
    forget();
  }

  void judge_actions(std::span<const std::byte> observations, std::span<const float> actions,
                     std::span<float> values) override {
    networks_.judge(observations, actions, values);
  }

  void reload() override { forget(); }

 private:
  void forget() {
    observations_.clear();
    heads_.clear();
  }

  Architecture architecture_;
  DeterministicActorCritic networks_;
  ActionScale scale_;
  std::vector<std::byte> observations_;  // of record()
  RecordedHeads heads_;
  std::vector<float> scaled_, d_scaled_;  // actions and their gradient, [samples, dims]
  std::vector<float> q_;
};

}  // namespace

std::unique_ptr<Network> make_dpg_network(const Architecture& architecture,
                                          std::span<const float> parameters) {
  return std::make_unique<DpgNetwork>(architecture, parameters);
}

}  // namespace tandem
