// A deterministic policy and its critic for those who act by them.

#include <memory>
#include <stdexcept>

#include "tandem/nn/batch.h"
#include "tandem/nn/composed/deterministic_actor_critic.h"
#include "tandem/nn/network.h"

namespace tandem {
namespace {

class DpgNetwork final : public Network {
 public:
  DpgNetwork(const Architecture& architecture, std::span<const float> parameters)
      : architecture_(architecture), networks_(architecture, parameters) {}

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  void forward(const Inputs& inputs, const Heads& out) override {
    require_sizes(architecture_, inputs, out);
    networks_.act(inputs.observations, out.logits);
    networks_.judge(inputs.observations, out.logits, out.value);
  }

  // Its sums do not depend on the other samples.
  void forward_alone(const Inputs& inputs, const Heads& out) override { forward(inputs, out); }

  void record(const Inputs& /*inputs*/, const Heads& /*out*/) override { refuse(); }

  void backward(const HeadLoss& /*loss*/, std::span<float> /*gradient*/) override { refuse(); }

  void judge_actions(std::span<const std::byte> observations, std::span<const float> actions,
                     std::span<float> values) override {
    networks_.judge(observations, actions, values);
  }

 private:
  // The two learn by different losses, of which that of the policy needs dq/da: no loss at the
  // heads has both as its gradient.
  [[noreturn]] static void refuse() {
    throw std::logic_error("a deterministic policy learns by DpgGradient, not by a loss at heads");
  }

  Architecture architecture_;
  DeterministicActorCritic networks_;
};

}  // namespace

std::unique_ptr<Network> make_dpg_network(const Architecture& architecture,
                                          std::span<const float> parameters) {
  return std::make_unique<DpgNetwork>(architecture, parameters);
}

}  // namespace tandem
