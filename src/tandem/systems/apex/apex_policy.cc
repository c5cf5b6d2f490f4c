#include "tandem/systems/apex/apex_policy.h"

#include <iterator>
#include <utility>

namespace tandem {

ApexPolicy::ApexPolicy(const ActingRule& rule, NetworkCopy copy, const EnvSpec& spec, int envs)
    : rule_(rule),
      copy_(std::move(copy)),
      env_actions_(spec, envs),
      discrete_(static_cast<std::size_t>(envs)),
      continuous_(discrete_.size() * spec.action_low.size()),
      action_values_(discrete_.size()),
      state_values_(discrete_.size()),
      judgements_(discrete_.size()) {}

Decisions ApexPolicy::act(std::span<const std::byte> observations, std::span<Stream* const> streams,
                          std::span<const float> epsilons) {
  const Heads heads = evaluate(observations, std::ssize(discrete_));
  const Actions chosen{.discrete = discrete_, .continuous = continuous_};
  rule_.act(heads, streams, epsilons, chosen);
  rule_.judge({copy_.network(), observations, heads}, chosen, {action_values_, state_values_});
  for (std::size_t i = 0; i < judgements_.size(); ++i) {
    judgements_[i] = {.action_value = action_values_[i], .state_value = state_values_[i]};
  }
  return {env_actions_.of(chosen), judgements_};
}

float ApexPolicy::value(std::span<const std::byte> observation) {
  const Heads heads = evaluate(observation, 1);
  float value = 0;
  rule_.values(heads, {}, std::span(&value, 1));
  return value;
}

Heads ApexPolicy::evaluate(std::span<const std::byte> observations, std::int64_t batch) {
  const Heads heads = heads_.of(copy_.network().architecture(), batch);
  copy_.network().forward({observations}, heads);
  return heads;
}

}  // namespace tandem
