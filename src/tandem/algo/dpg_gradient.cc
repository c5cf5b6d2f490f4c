#include "tandem/algo/dpg_gradient.h"

#include <stdexcept>

namespace tandem {
namespace {

void require_sizes(const DpgSamples& samples, std::size_t batch, std::size_t dims) {
  const auto& returns = samples.returns;
  if (batch > 0 && samples.actions.size() == batch * dims &&
      returns.n_step_returns.size() == batch && returns.discounts.size() == batch &&
      returns.weights.size() == batch) {
    return;
  }
  throw std::logic_error("DpgGradient: not as many numbers as priorities");
}

}  // namespace

DpgGradient::DpgGradient(const DpgConfig& config, const Architecture& architecture,
                         std::span<const float> theta, std::span<const float> target)
    : config_(config), online_(architecture, theta), target_(architecture, target) {}

LossStats DpgGradient::differentiate(const DpgSamples& samples, double weight,
                                     std::span<float> gradient, std::span<float> priorities) {
  require_sizes(samples, priorities.size(), online_.action_dims());
  for (auto* each : {&q_, &next_q_, &d_q_}) each->resize(priorities.size());
  for (auto* each : {&actions_, &dq_da_, &d_outputs_}) each->resize(samples.actions.size());

  target_.act(samples.next_observations, actions_);
  target_.judge(samples.next_observations, actions_, next_q_);
  online_.record_judgement(samples.observations, samples.actions, q_);
  auto stats = dpg_critic_loss(q_, next_q_, samples.returns, weight, d_q_, priorities);
  online_.critic_backward(d_q_, gradient);

  online_.differentiate_by_action(samples.observations, actions_, q_, dq_da_);
  dpg_policy_gradient(config_, actions_, dq_da_, weight, d_outputs_);
  online_.policy_backward(d_outputs_, gradient);
  for (const float q : q_) stats.policy_loss -= q;
  return stats;
}

}  // namespace tandem
