#include <memory>
#include <span>

#include "tandem/acting/network_copy.h"
#include "tandem/nn/batch.h"
#include "tandem/systems/apex/apex.h"

namespace tandem {
namespace {

/// Section 3.1, equation 1.
class ReplayedDqn : public ReplayLoss {
 public:
  ReplayedDqn(const DqnConfig& config, const Parts& parts, std::span<const float> theta,
              const TargetParameters& target)
      : config_(config), network_(parts.make_network(theta)), target_(target, parts.make_network) {}

  LossStats differentiate(const Samples& samples, double weight,
                          std::span<float> gradient) override {
    network_->reload();
    target_.synchronise();
    const auto batch = static_cast<std::int64_t>(samples.size());
    const auto& architecture = network_->architecture();
    const NextStates next{.online = next_online_.of(architecture, batch),
                          .target = next_target_.of(architecture, batch)};
    if (config_.double_q) network_->forward({samples.next_observations}, next.online);
    target_.network().forward({samples.next_observations}, next.target);
    network_->record({samples.observations}, now_.of(architecture, batch));
    LossStats stats;
    network_->backward(
        [&](const Heads& heads, const Heads& out) {
          stats = dqn_loss(
              config_, heads, next,
              {samples.actions, samples.n_step_returns, samples.discounts, samples.weights}, weight,
              out, samples.priorities);
        },
        gradient);
    return stats;
  }

 private:
  const DqnConfig config_;
  std::unique_ptr<Network> network_;
  NetworkCopy target_;
  HeadsBuffer now_, next_online_, next_target_;
};

}  // namespace

ApexRules dqn_rules(const DqnConfig& config) {
  return {.make_policy = make_dqn_policy,
          .make_loss =
              [config](const Parts& parts, std::span<const float> theta,
                       const TargetParameters& target) {
                return std::make_unique<ReplayedDqn>(config, parts, theta, target);
              },
          .target_updates = config.target_updates};
}

}  // namespace tandem
